// Type tests: they fail at compile time.
import { Deployment, type ResourceDescriptor } from "@kubewright/api";
import { describe, expectTypeOf, it } from "vitest";
import type { ApplyInput } from "./apply-input.js";
import type { Client } from "./client.js";

interface Widget {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly spec: {
    readonly size: number;
    readonly color: string;
    readonly parts: readonly { readonly id: string; readonly n: number }[];
  };
}
/** The input form of the kind: `color` has a default. */
interface WidgetInput extends Omit<Widget, "spec"> {
  readonly spec: Omit<Widget["spec"], "color"> & { readonly color?: string };
}
declare const Widget: ResourceDescriptor<Widget, WidgetInput>;
declare const client: Client;

/** Never run: only its types count. */
function calls(): void {
  void client.apply(Deployment, { metadata: { name: "web" } });
  void client.apply(Deployment, {
    metadata: { name: "web" },
    spec: { template: { spec: { containers: [{ name: "a" }] } } },
  });
  // @ts-expect-error an object without a name cannot be applied
  void client.apply(Deployment, { spec: { replicas: 1 } });
  // @ts-expect-error a misspelt field
  void client.apply(Deployment, { metadata: { name: "web" }, spec: { replicsa: 1 } });
  // @ts-expect-error a value of another type
  void client.apply(Deployment, { metadata: { name: "web" }, spec: { replicas: "1" } });

  void client.apply(Deployment, {} as Deployment);
  void client.apply(Widget, {} as Widget);
  void client.apply(Widget, {} as WidgetInput);
  // @ts-expect-error an object of another kind
  void client.apply(Widget, {} as Deployment);

  void client.create(Widget, { metadata: { name: "a" }, spec: { size: 1, parts: [] } });
  // @ts-expect-error create wants what has no default
  void client.create(Widget, { metadata: { name: "a" }, spec: { parts: [] } });
  void client.apply(Widget, { metadata: { name: "a" }, spec: { parts: [{ id: "x" }] } });
}

describe("apply input types", () => {
  it("of what is read come from the descriptor", () => {
    expectTypeOf(calls).toBeFunction();
    expectTypeOf<Client["get"]>().toBeFunction();
    expectTypeOf(() => client.get(Widget, "a")).returns.resolves.toEqualTypeOf<Widget>();
    expectTypeOf(() =>
      client.create(Widget, { spec: { size: 1, parts: [] } }),
    ).returns.resolves.toEqualTypeOf<Widget>();
  });

  it("of what is applied need only a name", () => {
    expectTypeOf<{ metadata: { name: string } }>().toExtend<ApplyInput<WidgetInput>>();
    expectTypeOf<{ metadata: { name: string }; spec: { size: number } }>().toExtend<
      ApplyInput<WidgetInput>
    >();
    expectTypeOf<object>().not.toExtend<ApplyInput<WidgetInput>>();
  });
});
