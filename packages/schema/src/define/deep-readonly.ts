// Objects read from a cache are shared, so what schemas infer is readonly throughout, as the generated interfaces are.

type Scalar = string | number | boolean | bigint | symbol | null | undefined;

type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** True when no property of `T` itself can be assigned; generated interfaces are such, and keep their name. */
type IsReadonly<T> = Identical<{ [K in keyof T]: T[K] }, { readonly [K in keyof T]: T[K] }>;

/** `T` with every array and property readonly, at any depth. */
export type DeepReadonly<T> = 0 extends 1 & T
  ? T
  : T extends Scalar
    ? T
    : T extends readonly (infer Item)[]
      ? readonly DeepReadonly<Item>[]
      : T extends object
        ? IsReadonly<T> extends true
          ? T
          : { readonly [K in keyof T]: DeepReadonly<T[K]> }
        : T;
