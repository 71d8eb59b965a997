// A schema costs some time to make, and a process uses few of the many there are.

/** The properties that a table of functions defines. */
export type Lazy<T extends Readonly<Record<string, () => unknown>>> = {
  readonly [K in keyof T]: ReturnType<T[K]>;
};

/** Adds a property for each function of the table, which is called when the property is first read. */
export function withLazyProperties<Own extends object, T extends Readonly<Record<string, () => unknown>>>(
  own: Own,
  table: T,
): Own & Lazy<T> {
  for (const [name, make] of Object.entries(table)) {
    Object.defineProperty(own, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        const value = make();
        Object.defineProperty(own, name, { value });
        return value;
      },
    });
  }
  // The compiler does not follow properties that are defined in a loop.
  return own as Own & Lazy<T>;
}
