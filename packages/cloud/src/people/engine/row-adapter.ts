import { createHash } from 'node:crypto';
import { createAdapterFactory } from 'better-auth/adapters';
import type { CleanedWhere } from 'better-auth/adapters';
import type { RowCondition, SignInRow, SignInTable, SignInValue } from '../../database/sign-in-tables.ts';
import type { EngineDeps } from '../sign-in-engine.ts';

/** What the other side sends and nobody needs later: not stored. */
const NOT_STORED: readonly string[] = [
  'image',
  'accessToken',
  'refreshToken',
  'idToken',
  'accessTokenExpiresAt',
  'refreshTokenExpiresAt',
  'scope',
];

const OPERATORS: Readonly<Record<string, RowCondition['operator']>> = {
  eq: '=',
  ne: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  in: 'in',
};

const TABLES: ReadonlySet<string> = new Set<SignInTable>([
  'users',
  'sessions',
  'user_accounts',
  'passkeys',
  'second_factors',
  'sign_in_steps',
]);

/**
 * better-auth on our tables. Times are milliseconds of the cloud's clock, which is not the system's in tests. Of the token
 * of a session only the hash is stored; who asks with the token gets it back.
 */
export function createRowAdapter({ tables, nowMs }: Pick<EngineDeps, 'tables' | 'nowMs'>) {
  const shiftMs = () => nowMs() - Date.now();
  return createAdapterFactory({
    config: {
      adapterId: 'placard',
      supportsDates: true,
      supportsBooleans: false,
      supportsJSON: false,
      supportsNumericIds: false,
      customTransformInput: ({ data }) =>
        data instanceof Date ? Math.round(data.getTime() + shiftMs()) : data,
      customTransformOutput: ({ data, fieldAttributes }) =>
        fieldAttributes.type === 'date' && typeof data === 'number' ? new Date(data - shiftMs()) : data,
    },
    adapter: ({ getFieldName }) => ({
      async create({ model, data }) {
        const row = toRow(data);
        await tables.insert(toTable(model), concealed(model, row));
        return { ...data, ...row };
      },
      findOne: async ({ model, where }) => asResult(await findOne(model, where)),
      async findMany({ model, where, limit, sortBy }) {
        const found = await tables.select(toTable(model), {
          where: toConditions(model, where ?? []),
          limit,
          sortBy: sortBy && {
            column: getFieldName({ model, field: sortBy.field }),
            direction: sortBy.direction,
          },
        });
        return asResult(found);
      },
      async update({ model, where, update }) {
        await tables.update(toTable(model), toConditions(model, where), toRow(Object(update)));
        return asResult(await findOne(model, where));
      },
      updateMany: ({ model, where, update }) =>
        tables.update(toTable(model), toConditions(model, where), toRow(update)),
      async delete({ model, where }) {
        await tables.delete(toTable(model), toConditions(model, where));
      },
      deleteMany: ({ model, where }) => tables.delete(toTable(model), toConditions(model, where)),
      count: ({ model, where }) => tables.count(toTable(model), toConditions(model, where ?? [])),
      consumeOne: async ({ model, where }) =>
        asResult(await tables.consume(toTable(model), toConditions(model, where))),
      async incrementOne({ model, where, increment, set }) {
        const changed = await tables.update(
          toTable(model),
          toConditions(model, where),
          toRow(set ?? {}),
          increment,
        );
        const ids = where.filter(({ field }) => field === 'id');
        return asResult(changed === 0 ? null : await findOne(model, ids));
      },
    }),
  });

  async function findOne(model: string, where: CleanedWhere[]): Promise<SignInRow | null> {
    const [row] = await tables.select(toTable(model), { where: toConditions(model, where), limit: 1 });
    const token = where.find(({ field }) => field === 'token_hash')?.value;
    return row ? { ...row, ...(typeof token === 'string' ? { token_hash: token } : {}) } : null;
  }
}

/** The library says of which type its rows are. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-parameters
const asResult = <T>(found: unknown): T => found as T;

function toTable(model: string): SignInTable {
  if (!TABLES.has(model)) {
    throw new Error(`sign-in has no table ${model}`);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return model as SignInTable;
}

const toRow = (data: object): SignInRow =>
  Object.fromEntries(
    Object.entries(data)
      .filter(([column, value]) => !NOT_STORED.includes(column) && value !== undefined)
      .map(([column, value]) => [column, toValue(value)]),
  );

function toValue(value: unknown): SignInValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') {
    return value;
  }
  throw new TypeError(`sign-in cannot store a value of type ${typeof value}`);
}

const hashToken = (token: unknown): SignInValue => createHash('sha256').update(String(token)).digest('hex');

const concealed = (model: string, row: SignInRow): SignInRow =>
  model === 'sessions' && row['token_hash'] !== undefined
    ? { ...row, token_hash: hashToken(row['token_hash']) }
    : row;

function toConditions(model: string, where: readonly CleanedWhere[]): RowCondition[] {
  return where.map(({ field, operator, value, connector }) => {
    const known = OPERATORS[operator ?? 'eq'];
    if (!known || (connector === 'OR' && where.length > 1)) {
      throw new Error(`sign-in cannot ask for ${connector} ${field} ${operator}`);
    }
    const isToken = model === 'sessions' && field === 'token_hash';
    const values = Array.isArray(value) ? value.map(toValue) : toValue(value);
    if (!isToken) {
      return { column: field, operator: known, value: values };
    }
    return {
      column: field,
      operator: known,
      value: Array.isArray(values) ? values.map(hashToken) : hashToken(values),
    };
  });
}
