import { LIMITS } from '@placard/protocol';
import { commandOperations, deviceOperations } from '@placard/protocol/api';
import { refusal } from '../../domain/refusal.ts';
import { page, route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { requireDevice } from '../devices/devices.ts';
import { iso, presentCommand } from '../present.ts';

export function commandRoutes({ store, newId }: Pick<HttpDeps, 'store' | 'newId'>): Route[] {
  return [
    route(deviceOperations.sendCommand, async ({ params, body, nowMs, commit }) =>
      commit(async (work) => {
        await requireDevice(work, params.id);
        if ((await work.commands.open(params.id, nowMs)) >= LIMITS.openCommands)
          throw refusal(
            'CONFLICT',
            `The device has ${LIMITS.openCommands} commands that have not ended; wait until some end or expire.`,
            { details: { reason: 'too_many_commands', limit: LIMITS.openCommands } },
          );
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
        await work.commands.insert(row);
        work.announce({
          type: 'command',
          deviceId: params.id,
          command: { id: row.id, command: body.command, expires_at: iso(row.expires_at) },
        });
        return { data: presentCommand(row) };
      }),
    ),
    route(commandOperations.listCommands, async ({ query }) => {
      const { device_id: deviceId, ...filter } = query;
      const { rows, total } = await store.commands.list({ ...filter, deviceId });
      return page(rows.map(presentCommand), total, query);
    }),
    route(commandOperations.getCommand, async ({ params }) => {
      const row = await store.commands.find(params.id);
      if (!row) throw refusal('COMMAND_NOT_FOUND', 'The requested command does not exist.');
      return { data: presentCommand(row) };
    }),
  ];
}
