import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useAccount } from '../api/account.ts';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { Button } from '../ui/button.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { Panel } from '../ui/panel.tsx';
import { InvitationsPanel } from './invitations-panel.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { ListPages, listPages } from './list-pages.tsx';
import { RowItem, RowList } from '../ui/row-list.tsx';
import { SettingsPage } from './settings-page.tsx';
import { useTexts } from './settings-texts.ts';

const route = getRouteApi('/signed-in/settings/people');

/** Who can sign in, and who is invited. */
export function PeoplePage() {
  const texts = useTexts();
  const { invite, search } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <SettingsPage
      name="people"
      isForAdmins
      aside={
        <Button
          look="primary"
          onClick={() => void navigate({ search: (before) => ({ ...before, invite: 'yes' }) })}
        >
          {texts.invite}
        </Button>
      }
    >
      {() => (
        <>
          <PeopleList />
          <InvitationsPanel />
          <InviteDialog
            isOpen={invite !== undefined}
            onClose={() => void navigate({ search: search === undefined ? {} : { search }, replace: true })}
          />
        </>
      )}
    </SettingsPage>
  );
}

function PeopleList() {
  const texts = useTexts();
  const format = useFormat();
  const account = useAccount();
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const people = useInfiniteQuery({
    ...listPages(['users', search], (cursor) =>
      placard.people.listUsers({ limit: 50, cursor, ...(search !== undefined && { search }) }).page(),
    ),
    placeholderData: keepPreviousData,
  });
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = (formTexts(event.currentTarget)['search'] ?? '').trim();
    void navigate({ search: typed === '' ? {} : { search: typed }, replace: true });
  };
  return (
    <Panel title={texts.sections.people}>
      <search>
        <form onSubmit={find}>
          <input
            key={search}
            type="search"
            name="search"
            defaultValue={search}
            maxLength={200}
            aria-label={texts.searchPeople}
            placeholder={texts.searchPeople}
            className="h-9 w-full rounded-lg border border-line bg-panel px-3 placeholder:text-muted sm:max-w-96 pointer-coarse:h-11"
          />
        </form>
      </search>
      <ListPages query={people} empty={texts.nobodyFound}>
        {(users) => (
          <RowList label={texts.sections.people}>
            {users.map((user) => (
              <RowItem
                key={user.id}
                title={
                  <Link
                    to="/settings/people/$userId"
                    params={{ userId: user.id }}
                    className="text-accent hover:underline"
                  >
                    {user.name}
                  </Link>
                }
                facts={[
                  user.id === account.id && texts.you,
                  user.disabled && `✕ ${texts.disabled}`,
                  user.email,
                  user.role,
                  user.stores !== null && texts.storeCount(user.stores.length),
                  user.last_signed_in_at === null
                    ? texts.neverSignedIn
                    : texts.signedIn(format.ago(user.last_signed_in_at)),
                ]}
              />
            ))}
          </RowList>
        )}
      </ListPages>
    </Panel>
  );
}
