import { LIMITS } from '@placard/protocol';
import { commandOperations, deviceOperations } from '@placard/protocol/api';
import { ApiError } from '../../domain/api-error.ts';
import { listResult, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { requireDevice } from '../devices/devices.ts';
import { requireFound } from '../request-checks.ts';
import { toIso } from '../../domain/iso-time.ts';
import { presentCommand } from '../../http-server/present.ts';

export function commandRoutes({ database, newId }: HttpDeps): Route[] {
  return [
    route(deviceOperations.sendCommand, async ({ params, body, nowMs, commit }) =>
      commit(async (tx) => {
        await requireDevice(tx, params.id);
        if ((await tx.commands.countOpen(params.id, nowMs)) >= LIMITS.openCommands) {
          throw new ApiError(
            'CONFLICT',
            `The device has ${LIMITS.openCommands} unfinished commands; wait until some finish or expire.`,
            { details: { reason: 'too_many_commands', limit: LIMITS.openCommands } },
          );
        }
        const row = {
          id: newId('command'),
          device_id: params.id,
          command: body.command,
          status: 'queued' as const,
          created_at: nowMs,
          expires_at: nowMs + body.expires_in * 1000,
          delivered_at: null,
          acknowledged_at: null,
          finished_at: null,
          result: null,
        };
        await tx.commands.insert(row);
        tx.publishOnCommit({
          type: 'command',
          deviceId: params.id,
          command: { id: row.id, command: body.command, expires_at: toIso(row.expires_at) },
        });
        const data = presentCommand(row);
        tx.recordEvent({ type: 'command.created', resource: params.id, data: { command: data } });
        return { data };
      }),
    ),
    route(commandOperations.listCommands, async ({ query }) =>
      listResult(await database.commands.list(query), presentCommand, query),
    ),
    route(commandOperations.getCommand, async ({ params }) => ({
      data: presentCommand(requireFound(await database.commands.find(params.id), 'COMMAND_NOT_FOUND')),
    })),
  ];
}
