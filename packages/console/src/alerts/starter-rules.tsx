import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../api/account.ts';
import { placard } from '../api/placard.ts';
import { useLanguage } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { CheckBox } from '../ui/field.tsx';
import { conditionOf, firstOf } from './conditions.ts';
import type { ConditionType } from './conditions.ts';
import { useTexts } from './texts.ts';
import { useConditionWords } from './words.ts';

/** What most organizations want to know of all their screens. */
const STARTERS: readonly ConditionType[] = ['offline', 'fault', 'behind'];

/** Instead of the rules while there are none: offers the first ones. */
export function StarterRules() {
  const { language } = useLanguage();
  const texts = useTexts();
  const words = useConditionWords();
  const queries = useQueryClient();
  const mayWrite = useMay('Write');
  const [chosen, setChosen] = useState<readonly ConditionType[]>(STARTERS);
  const create = useMutation({
    mutationFn: async () => {
      // In this order, because lists have the newest first.
      for (const type of STARTERS.filter((each) => chosen.includes(each)).toReversed()) {
        const condition = conditionOf(firstOf(type));
        await placard.alerts.createRule({ name: words(condition), condition, language });
        // Trying again does not create it twice.
        setChosen((before) => before.filter((each) => each !== type));
      }
    },
    // Not before: this form goes when there are rules, and with it what went wrong.
    onSuccess: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  });
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-3 py-12 text-center">
      <h2 className="text-lg font-semibold">{texts.noRules}</h2>
      <p className="text-muted">{mayWrite ? texts.noRulesHint : texts.noRulesForViewer}</p>
      {mayWrite && (
        <>
          <div className="flex flex-col text-start">
            {STARTERS.map((type) => (
              <CheckBox
                key={type}
                label={words(firstOf(type))}
                isChecked={chosen.includes(type)}
                onChange={(isChosen) =>
                  setChosen([...chosen.filter((each) => each !== type), ...(isChosen ? [type] : [])])
                }
              />
            ))}
          </div>
          {create.error && <ErrorMessage error={create.error} />}
          <Button
            look="primary"
            isBusy={create.isPending}
            disabled={chosen.length === 0}
            onClick={() => create.mutate()}
          >
            {texts.createStarters}
          </Button>
        </>
      )}
    </div>
  );
}
