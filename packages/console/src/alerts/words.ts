import type { Alert, AlertCondition } from '@placard/client';
import { useFaultTexts } from '../i18n/fault-texts.ts';
import { useFormat } from '../i18n/format.ts';
import { textOf } from '../i18n/text-of.ts';
import { isKnown, kindOf } from './conditions.ts';
import type { EditedCondition, Field, FieldValue } from './conditions.ts';
import { useTexts } from './texts.ts';

/** Says a condition in plain words; one that this console does not know by its name. */
export function useConditionWords(): (condition: AlertCondition | EditedCondition) => string {
  const texts = useTexts();
  const format = useFormat();
  const say = (field: Field | undefined, value: FieldValue): string => {
    const text = String(value ?? '').trim();
    switch (field?.kind) {
      case 'minutes':
        return Number(text) > 0 ? format.minutes(Number(text)) : '';
      case 'number':
        return format.number(Number(text));
      case 'choice':
        return field.choices[text] ?? text;
      case 'fault':
      case 'version':
      case undefined:
      default:
        return text;
    }
  };
  return (condition) => {
    const { type } = condition;
    if (!isKnown(type)) {
      return type;
    }
    const { fields } = kindOf(type);
    const values = new Map<string, FieldValue>(Object.entries(condition));
    return texts.conditions[type].words((name) => say(fields[name], values.get(name) ?? null));
  };
}

/** Says why an alert has ended. */
export function useReasonWords(): (reason: NonNullable<Alert['resolved_because']>) => string {
  const { because, otherReason } = useTexts();
  return (reason) => textOf(because, reason, otherReason);
}

/** Says what to do about a condition; of a fault, what screens say about it. */
export function useConditionAdvice(): (condition: AlertCondition) => string | undefined {
  const texts = useTexts();
  const faults = useFaultTexts();
  return (condition) =>
    (condition.type === 'fault' && condition.code !== null ? faults.get(condition.code) : undefined) ??
    (isKnown(condition.type) ? texts.conditions[condition.type].advice : undefined);
}
