import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import type { AnyRoute } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { accountQuery } from './api/account.ts';
import { lastEventQuery } from './api/live-updates.ts';
import { isSignedOut, queryClient } from './api/query-client.ts';
import { applyTheme } from './app/theme.ts';
import { router, SIGNED_IN_ROUTE } from './app/router.tsx';
import { LanguageProvider, loadMessages, preferredLanguage } from './i18n/language.tsx';
import './theme.css';

applyTheme();
// What the page needs, all at once instead of one after the other.
const routes: Readonly<Record<string, AnyRoute>> = router.routesById;
for (const { routeId } of router.matchRoutes(router.latestLocation)) {
  if (routeId === SIGNED_IN_ROUTE) {
    void queryClient.prefetchQuery(accountQuery);
    void queryClient.prefetchQuery(lastEventQuery);
  }
  void router.loadRouteChunk(routes[String(routeId)]!)?.catch(() => {
    // The router says so when it gets there.
  });
}
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
