import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useAccount } from '../api/account.ts';
import { removeAllDrafts } from '../api/drafts.ts';
import { placard } from '../api/placard.ts';
import { LANGUAGE_NAMES, useLanguage } from '../i18n/language.tsx';
import { Menu, MenuChoice, MenuItem } from '../ui/menu.tsx';
import { chooseTheme, useTheme } from './theme.ts';

/** Who is signed in; theme, language and signing out. */
export function AccountMenu() {
  const { messages, language, choose } = useLanguage();
  const account = useAccount();
  const theme = useTheme();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const signOut = async () => {
    await placard.request('POST /v1/auth/sign-out');
    queries.clear();
    removeAllDrafts(sessionStorage);
    await navigate({ to: '/sign-in' });
  };
  return (
    <Menu
      label={account.name}
      trigger={
        <>
          <span title={account.name} className="max-w-40 truncate">
            {account.name}
          </span>
          <span aria-hidden>▾</span>
        </>
      }
    >
      <p className="max-w-72 px-3 py-2 text-muted [overflow-wrap:anywhere]">
        {account.email ?? account.name}
      </p>
      <MenuChoice
        title={messages.theme}
        value={theme}
        onChoose={chooseTheme}
        choices={[
          ['light', messages.themeLight],
          ['dark', messages.themeDark],
          ['system', messages.themeSystem],
        ]}
      />
      <MenuChoice title={messages.language} value={language} onChoose={choose} choices={LANGUAGE_NAMES} />
      <MenuItem onChoose={() => window.open('/docs', '_blank', 'noreferrer')}>{messages.apiDocs}</MenuItem>
      <MenuItem onChoose={() => void signOut()}>{messages.signOut}</MenuItem>
    </Menu>
  );
}
