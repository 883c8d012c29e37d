import { commandOperations, deviceOperations } from '@placard/protocol/api';
import { createCommand, requireFewOpenCommands } from '../../http-server/create-command.ts';
import { listResult, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import { isCustomerCommand } from '../../database/commands.ts';
import type { HttpDeps } from '../deps.ts';
import { requireDevice } from '../devices/device-detail.ts';
import { requireFound } from '../request-checks.ts';
import { presentCommand } from '../../http-server/present.ts';

export function commandRoutes({ database, newId }: HttpDeps): Route[] {
  return [
    route(deviceOperations.sendCommand, async ({ params, body, nowMs, commit }) =>
      commit(async (tx) => {
        await requireDevice(tx, params.id);
        await requireFewOpenCommands(tx, params.id, nowMs);
        const data = await createCommand(tx, { deviceId: params.id, ...body, nowMs, newId });
        return { data };
      }),
    ),
    route(commandOperations.listCommands, async ({ query }) =>
      listResult(await database.commands.list(query), presentCommand, query),
    ),
    route(commandOperations.getCommand, async ({ params }) => {
      const row = await database.commands.find(params.id);
      return {
        data: presentCommand(
          requireFound(row && isCustomerCommand(row) ? row : undefined, 'COMMAND_NOT_FOUND'),
        ),
      };
    }),
  ];
}
