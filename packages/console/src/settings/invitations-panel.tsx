import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { ConfirmButton } from '../ui/confirm-dialog.tsx';
import { Panel } from '../ui/panel.tsx';
import { ListPages, listPages } from './list-pages.tsx';
import { RowItem, RowList } from '../ui/row-list.tsx';
import { useTexts } from './settings-texts.ts';

/** Invitations that can still be accepted. */
export function InvitationsPanel() {
  const texts = useTexts();
  const format = useFormat();
  const queries = useQueryClient();
  const invitations = useInfiniteQuery(
    listPages(['invitations'], (cursor) => placard.people.listInvitations({ limit: 50, cursor }).page()),
  );
  return (
    <Panel title={texts.openInvitations}>
      <ListPages query={invitations} empty="–">
        {(items) => (
          <RowList label={texts.openInvitations}>
            {items.map((invitation) => (
              <RowItem
                key={invitation.id}
                title={invitation.email ?? texts.anybody}
                facts={[
                  invitation.role,
                  invitation.stores !== null && texts.storeCount(invitation.stores.length),
                  texts.invitedBy(invitation.created_by),
                  texts.expires(format.instant(invitation.expires_at)),
                ]}
              >
                <ConfirmButton
                  label={texts.revoke}
                  question={texts.revokeInvitation(invitation.email ?? texts.anybody)}
                  hint={texts.notUndone}
                  onConfirm={async () => {
                    await placard.people.deleteInvitation(invitation.id);
                    await queries.invalidateQueries({ queryKey: ['invitations'] });
                  }}
                />
              </RowItem>
            ))}
          </RowList>
        )}
      </ListPages>
    </Panel>
  );
}
