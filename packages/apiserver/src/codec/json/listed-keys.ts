// Listing the keys of an object with a great many takes tens of milliseconds and cannot be paused. Whoever puts such an object together
// key by key has them at hand, and leaves them here for whoever comes next.

/** Keys that take long to list. */
const many = 2000;

const listed = new WeakMap<object, readonly string[]>();

/** Leaves the keys of an object that was just made, in the order they were set. */
export function leaveKeys(object: object, keys: readonly string[]): void {
  // Indexes come before all other keys, whenever they were set.
  if (keys.length >= many && !keys.some(mayBeIndex)) listed.set(object, keys);
}

const mayBeIndex = (key: string): boolean => {
  const first = key.charCodeAt(0);
  return first >= 0x30 && first <= 0x39;
};

/** The keys that were left of an object, for those who know that nobody has changed it since, or do not mind. */
export const leftKeys = (object: object): readonly string[] | undefined => listed.get(object);

/** The same, or else listed. */
export const peekKeys = (object: object): readonly string[] => listed.get(object) ?? Object.keys(object);

/** The keys of an object. Those that were left are taken: from here on the object may change. */
export function takeKeys(object: object): readonly string[] {
  const left = listed.get(object);
  if (!left) return Object.keys(object);
  listed.delete(object);
  return left;
}
