import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isSignedOut, queryClient } from './api/query-client.ts';
import { applyTheme } from './app/theme.ts';
import { router } from './app/router.tsx';
import { LanguageProvider, loadMessages, preferredLanguage } from './i18n/language.tsx';
import './theme.css';

applyTheme();
const language = preferredLanguage();
const messages = await loadMessages(language);

// A session that has ended, or was ended elsewhere, leads to signing in, and from there back to this page.
queryClient.getQueryCache().subscribe(({ type, query }) => {
  if (type === 'updated' && query.state.status === 'error' && isSignedOut(query.state.error)) {
    const { pathname, href } = router.state.location;
    if (pathname !== '/sign-in') {
      queryClient.clear();
      void router.navigate({ to: '/sign-in', search: { to: href } });
    }
  }
});

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <LanguageProvider first={{ language, messages }}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </LanguageProvider>
  </StrictMode>,
);
