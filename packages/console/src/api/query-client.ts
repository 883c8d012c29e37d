import { PlacardError } from '@placard/client';
import { QueryClient } from '@tanstack/react-query';

/** What the server knows. The client of the API repeats requests by itself; events say when something has changed. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
});

/** Whether the session is missing or has ended. */
export const isSignedOut = (error: unknown): boolean => error instanceof PlacardError && error.status === 401;
