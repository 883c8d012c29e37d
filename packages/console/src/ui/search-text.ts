import { useEffect, useRef, useState } from 'react';

/** Between two searches: the first key of a text searches at once. */
const APART_MS = 50;

/**
 * The text of a search field, and what changes it. What is typed is searched for; what changes the address otherwise, such as a
 * link or a saved view, changes the text.
 *
 * @param inAddress what is searched for now
 */
export function useSearchText(
  inAddress: string,
  onSearch: (text: string) => void,
): [text: string, change: (text: string) => void] {
  const [text, setText] = useState(inAddress);
  const typed = text.trim();
  /** What was searched for and is not in the address yet; the last one is what it will have. */
  const pending = useRef<string[]>([]);
  const searchedMs = useRef(-APART_MS);
  const target = useRef(inAddress);
  useEffect(() => {
    const place = pending.current.lastIndexOf(inAddress);
    if (place >= 0) {
      pending.current.splice(0, place + 1);
    } else if (inAddress !== target.current) {
      pending.current = [];
      target.current = inAddress;
      setText(inAddress);
    }
  }, [inAddress]);
  useEffect(() => {
    if (typed === target.current) {
      return undefined;
    }
    const waitMs = searchedMs.current + APART_MS - performance.now();
    const timer = setTimeout(
      () => {
        searchedMs.current = performance.now();
        target.current = typed;
        pending.current.push(typed);
        onSearch(typed);
      },
      Math.max(0, waitMs),
    );
    return () => clearTimeout(timer);
    // Only what is typed starts a search.
  }, [typed]);
  return [text, setText];
}
