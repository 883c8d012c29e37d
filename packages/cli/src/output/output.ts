import { formatFields, formatTable } from './table.ts';
import type { Columns } from './table.ts';

/** Where results go: tables for people, JSON for programs. */
export interface Output {
  json: boolean;
  /** A list; a program gets all fields. */
  list<T>(rows: readonly T[], columns: Columns<T>): void;
  /** One thing; `fields` is what people see of it. */
  one(thing: object, fields?: Readonly<Record<string, unknown>>): void;
  /** What was done, as a sentence; a program gets `thing` instead. */
  done(sentence: string, thing: unknown): void;
  /** One of many results while they come: a line each. */
  line(sentence: string, thing: unknown): void;
  /** For people only, on the standard error output. */
  note(sentence: string): void;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const document = (thing: unknown): void => print(JSON.stringify(thing, null, 2));

export function createOutput(json: boolean): Output {
  return {
    json,
    list(rows, columns) {
      if (json) {
        document(rows);
      } else {
        print(rows.length === 0 ? 'None.' : formatTable(rows, columns));
      }
    },
    one(thing, fields) {
      if (json) {
        document(thing);
      } else {
        print(formatFields(fields ?? { ...thing }));
      }
    },
    done(sentence, thing) {
      if (json) {
        document(thing);
      } else {
        print(sentence);
      }
    },
    line: (sentence, thing) => print(json ? JSON.stringify(thing) : sentence),
    note(sentence) {
      if (!json) {
        process.stderr.write(`${sentence}\n`);
      }
    },
  };
}
