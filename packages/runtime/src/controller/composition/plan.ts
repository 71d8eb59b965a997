// The children of a composition, and the order in which they may be made.
import { type KubeObject, type ObjectOf, TerminalError } from "@kubewright/api";
import type { AnyResource } from "../kinds.js";
import type { ChildInput, WholeChild } from "../reconcile-context.js";
import type { Health } from "./health.js";

/** Options of a child of a composition. */
export interface ChildOptions<T> {
  /** Names of children that must be ready before this one is made or changed. */
  readonly after?: readonly string[] | undefined;
  /** The health of this child, where its status does not show it. */
  health?(object: T): Health;
}

/** A child that should exist, made with `child`. */
export interface Child<Kind extends AnyResource = AnyResource> {
  readonly kind: Kind;
  readonly object: ChildInput<Kind>;
  readonly options: ChildOptions<ObjectOf<Kind>>;
}

/** Children by name; those that are undefined should not exist. */
export type Children<Kind extends AnyResource = AnyResource> = Readonly<
  Record<string, Child<Kind> | undefined>
>;

/** The children as they are, by name; those not made yet are absent. */
export type LiveChildren<Named> = {
  readonly [Name in keyof Named]?: Named[Name] extends Child<infer Kind> | undefined ? ObjectOf<Kind> : never;
};

/**
 * A child of a composition.
 *
 * @example
 * child(Deployment, deploymentFor(app), { after: ["database"] })
 */
export function child<const Kind extends AnyResource, Whole>(
  kind: Kind,
  object: ChildInput<Kind> | WholeChild<Kind, Whole>,
  options: ChildOptions<ObjectOf<Kind> & KubeObject> = {},
): Child<Kind> {
  // A whole object has the fields of a child; that it has a name is checked when it is applied.
  return { kind, object: object as ChildInput<Kind>, options: options as ChildOptions<ObjectOf<Kind>> };
}

/** Each child after those it waits for. Throws a TerminalError when that is impossible. */
export function inOrder(children: Children): readonly (readonly [string, Child])[] {
  const ordered: [string, Child][] = [];
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name))
      throw new TerminalError(`children wait for each other: ${[...path, name].join(" → ")}`);
    if (done.has(name)) return;
    const found = Object.hasOwn(children, name) ? children[name] : undefined;
    if (found) {
      for (const before of found.options.after ?? []) {
        if (!Object.hasOwn(children, before))
          throw new TerminalError(`child "${name}" waits for "${before}", which is no child`);
        visit(before, [...path, name]);
      }
      ordered.push([name, found]);
    }
    done.add(name);
  };
  for (const name of Object.keys(children)) visit(name, []);
  return ordered;
}
