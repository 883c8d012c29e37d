import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  redirect,
} from '@tanstack/react-router';
import type { ErrorComponentProps } from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import { accountQuery } from '../api/account.ts';
import { storesQuery } from '../api/stores.ts';
import { lastEventQuery } from '../api/live-updates.ts';
import { isSignedOut, queryClient } from '../api/query-client.ts';
import { toAnalyticsSearch } from '../analytics/analytics-search.ts';
import { toContentSearch } from '../content/content-search.ts';
import { devicesQuery, shownQuery } from '../fleet/device-list.ts';
import { FleetPage } from '../fleet/fleet-page.tsx';
import { toFleetSearch } from '../fleet/fleet-search.ts';
import { useMessages } from '../i18n/language.tsx';
import { DEVICE_STATUSES } from '../rollouts/device-status.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { isDay, pages, text, texts } from './search-params.ts';
import { Shell } from './shell.tsx';

/** How long a page waits for what it shows before it is drawn without. */
const SOON_MS = 150;

const rootRoute = createRootRouteWithContext<{ queries: QueryClient }>()({
  errorComponent: PageError,
  notFoundComponent: NotFound,
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search): { to?: string | undefined } => {
    // Only pages of this console: a link must not lead to another site.
    const to = text(search['to']);
    return { to: to !== undefined && /^\/(?![/\\])/.test(to) ? to : undefined };
  },
  component: lazyRouteComponent(() => import('../sign-in/sign-in-page.tsx'), 'SignInPage'),
});

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('../sign-in/invitation-page.tsx'), 'InvitationPage'),
});

const signInLinkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in-link',
  component: lazyRouteComponent(() => import('../sign-in/sign-in-link-page.tsx'), 'SignInLinkPage'),
});

const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('../sign-in/reset-password-page.tsx'), 'ResetPasswordPage'),
});

const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  component: Shell,
  // Beside the loaders of the pages, which need not wait for it.
  loader: async ({ context, location }) => {
    try {
      await Promise.all([
        context.queries.ensureQueryData(accountQuery),
        context.queries.ensureQueryData(lastEventQuery),
      ]);
    } catch (error) {
      if (isSignedOut(error)) {
        throw redirect({ to: '/sign-in', search: { to: location.href } });
      }
      throw error;
    }
  },
});

const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/devices' });
  },
});

const devicesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/devices',
  validateSearch: toFleetSearch,
  loaderDeps: ({ search: { pair: _pair, view: _view, ...filters } }) => filters,
  // Begun while the code of the page is loaded. Rows that come soon are drawn at once, without a skeleton before.
  loader: ({ context: { queries }, deps }) => {
    const rows = queries.prefetchQuery(devicesQuery(deps, 0));
    if (deps.revision === undefined) {
      void queries.prefetchQuery(shownQuery(deps, 0));
    }
    void queries.prefetchQuery(storesQuery);
    return Promise.race([rows, new Promise((resolve) => setTimeout(resolve, SOON_MS))]);
  },
  // Nearly everybody begins here, so it comes with the first files.
  component: FleetPage,
});

const deviceRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/devices/$deviceId',
  component: lazyRouteComponent(() => import('../device/device-page.tsx'), 'DevicePage'),
});

const rolloutsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/devices/rollouts',
  validateSearch: (search) => ({ ...texts(search, 'create'), ...pages(search, 'page') }),
  component: lazyRouteComponent(() => import('../rollouts/rollouts-page.tsx'), 'RolloutsPage'),
});

const rolloutRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/devices/rollouts/$rolloutId',
  // Which of its screens are shown.
  validateSearch: (search) => {
    const status = DEVICE_STATUSES.find((each) => each === search['status']);
    return { ...pages(search, 'page'), ...(status !== undefined && { status }) };
  },
  component: lazyRouteComponent(() => import('../rollouts/rollout-page.tsx'), 'RolloutPage'),
});

const schedulesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/schedules',
  validateSearch: (search) => texts(search, 'search', 'at', 'store', 'create'),
  component: lazyRouteComponent(() => import('../schedules/schedules-page.tsx'), 'SchedulesPage'),
});

const scheduleRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/schedules/$scheduleId',
  // The Monday of the shown week; that of today when it is absent.
  validateSearch: (search): { week?: string | undefined } => {
    const week = text(search['week']);
    return { week: week !== undefined && isDay(week) ? week : undefined };
  },
  component: lazyRouteComponent(() => import('../schedules/schedule-page.tsx'), 'SchedulePage'),
});

const storesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/stores',
  validateSearch: (search) => ({ ...texts(search, 'search', 'edit', 'remove'), ...pages(search, 'page') }),
  component: lazyRouteComponent(() => import('../stores/stores-page.tsx'), 'StoresPage'),
});

const alertsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/alerts',
  // Pages of the open alerts and of those that are over.
  validateSearch: (search) => pages(search, 'open', 'page'),
  component: lazyRouteComponent(() => import('../alerts/alerts-page.tsx'), 'AlertsPage'),
});

const alertRulesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/alerts/rules',
  validateSearch: (search) => texts(search, 'edit'),
  component: lazyRouteComponent(() => import('../alerts/rules-page.tsx'), 'RulesPage'),
});

const alertRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/alerts/$alertId',
  validateSearch: (search) => pages(search, 'page'),
  component: lazyRouteComponent(() => import('../alerts/alert-page.tsx'), 'AlertPage'),
});

const analyticsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/analytics',
  validateSearch: toAnalyticsSearch,
  component: lazyRouteComponent(() => import('../analytics/analytics-page.tsx'), 'AnalyticsPage'),
});

const contentRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/content',
  validateSearch: toContentSearch,
  component: lazyRouteComponent(() => import('../content/content-page.tsx'), 'ContentPage'),
});

const playlistsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/playlists',
  validateSearch: (search) => texts(search, 'search', 'create'),
  component: lazyRouteComponent(() => import('../playlists/playlists-page.tsx'), 'PlaylistsPage'),
});

const playlistRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/playlists/$playlistId',
  component: lazyRouteComponent(() => import('../playlists/playlist-page.tsx'), 'PlaylistPage'),
});

const settingsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('../settings/settings-layout.tsx'), 'SettingsLayout'),
});

const settingsRoutes = [
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/settings/account' });
    },
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/account',
    component: lazyRouteComponent(() => import('../settings/account-page.tsx'), 'AccountPage'),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/people',
    validateSearch: (search) => texts(search, 'search', 'invite'),
    component: lazyRouteComponent(() => import('../settings/people-page.tsx'), 'PeoplePage'),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/people/$userId',
    component: lazyRouteComponent(() => import('../settings/person-page.tsx'), 'PersonPage'),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/api-keys',
    validateSearch: (search) => texts(search, 'create'),
    component: lazyRouteComponent(() => import('../settings/api-keys-page.tsx'), 'ApiKeysPage'),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/webhooks',
    validateSearch: (search) => texts(search, 'create'),
    component: lazyRouteComponent(() => import('../settings/webhooks-page.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/webhooks/$webhookId',
    component: lazyRouteComponent(() => import('../settings/webhook-page.tsx'), 'WebhookPage'),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/audit-log',
    validateSearch: (search) => texts(search, 'action', 'actor', 'resource', 'from', 'to'),
    component: lazyRouteComponent(() => import('../settings/audit-log-page.tsx'), 'AuditLogPage'),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/organization',
    component: lazyRouteComponent(() => import('../settings/organization-page.tsx'), 'OrganizationPage'),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/about',
    component: lazyRouteComponent(() => import('../settings/about-page.tsx'), 'AboutPage'),
  }),
] as const;

/** The id of the route that all pages of somebody who is signed in are in. */
export const SIGNED_IN_ROUTE = '/signed-in';

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    signInRoute,
    invitationRoute,
    signInLinkRoute,
    resetPasswordRoute,
    signedInRoute.addChildren([
      homeRoute,
      devicesRoute,
      deviceRoute,
      rolloutsRoute,
      rolloutRoute,
      storesRoute,
      alertsRoute,
      alertRulesRoute,
      alertRoute,
      analyticsRoute,
      contentRoute,
      playlistsRoute,
      playlistRoute,
      settingsRoute.addChildren(settingsRoutes),
      schedulesRoute,
      scheduleRoute,
    ]),
  ]),
  context: { queries: queryClient },
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function PageError({ error, reset }: ErrorComponentProps) {
  const messages = useMessages();
  return (
    <div className="mx-auto flex max-w-xl flex-col gap-4 p-6">
      <h1 className="text-xl font-semibold">{messages.pageFailed}</h1>
      <ErrorMessage
        error={error}
        onRetry={() => {
          reset();
          // What the page needs is read again.
          void router.invalidate();
        }}
      />
    </div>
  );
}

function NotFound() {
  const messages = useMessages();
  return (
    <div className="mx-auto flex max-w-xl flex-col gap-4 p-6">
      <h1 className="text-xl font-semibold">{messages.pageNotFound}</h1>
      <Link to="/devices" className="text-accent underline">
        {messages.toDevices}
      </Link>
    </div>
  );
}
