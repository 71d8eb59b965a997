// Server-side apply sends what its author has an opinion on and nothing else, so every field but the name is optional.

/** `T` with everything optional, all the way down. */
export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? readonly DeepPartial<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: DeepPartial<T[Key]> | undefined }
    : T;

/** The argument of `apply`: any part of the object, and what identifies it. */
export type ApplyInput<Input> = DeepPartial<Input> & {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
};

/**
 * An object of the very type `Full`, as a function returns it: the type lets the name be missing, so it is looked for when
 * the object is applied. `never` for anything else, so that object literals are checked field by field.
 */
export type WholeObject<T, Full> = Full extends unknown ? ([T, Full] extends [Full, T] ? T : never) : never;
