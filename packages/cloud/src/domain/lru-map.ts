/** Sets an entry as the most recent one, and drops the least recent ones beyond `maxSize`. */
export function setMostRecent<K, V>(map: Map<K, V>, key: K, value: V, maxSize: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= maxSize) {
      break;
    }
    map.delete(oldest);
  }
}
