// The static types of a resource definition, computed from its zod schemas: the object as the server returns it, and as a user may write it.
import type { ObjectMeta } from "@kubewright/api";
import type { z } from "zod";
import type { DeepReadonly } from "./deep-readonly.js";

/** Shows an intersection as one object type, so that editors print it readably. */
type Flat<T> = { [K in keyof T]: T[K] };

/** The top-level fields of a kind beside `apiVersion`, `kind` and `metadata`. `never` stands for one not declared. */
export type TopLevelShape<Spec, Status, Fields> = ([Spec] extends [never]
  ? unknown
  : { readonly spec: Spec }) &
  ([Status] extends [never]
    ? unknown
    : Status extends z.core.SomeType
      ? { readonly status: z.ZodOptional<Status> }
      : unknown) &
  Fields;

type NoOthers = z.core.$strip["out"];
type OutputFields<Shape> = keyof Shape extends never
  ? unknown
  : Shape extends z.core.$ZodLooseShape
    ? DeepReadonly<z.core.$InferObjectOutput<Shape, NoOthers>>
    : never;
type InputFields<Shape> = keyof Shape extends never
  ? unknown
  : Shape extends z.core.$ZodLooseShape
    ? DeepReadonly<z.core.$InferObjectInput<Shape, NoOthers>>
    : never;

/** The object as the server returns it: defaults applied. */
export type OutputObject<ApiVersion extends string, Kind extends string, Shape> = Flat<
  {
    readonly apiVersion: ApiVersion;
    readonly kind: Kind;
    readonly metadata: ObjectMeta;
  } & OutputFields<Shape>
>;

/** The object as a user may write it: defaults left out, `apiVersion` and `kind` known from the definition. */
export type InputObject<ApiVersion extends string, Kind extends string, Shape> = Flat<
  {
    readonly apiVersion?: ApiVersion | undefined;
    readonly kind?: Kind | undefined;
    readonly metadata?: ObjectMeta | undefined;
  } & InputFields<Shape>
>;
