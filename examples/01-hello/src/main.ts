// The smallest operator: a kind, a controller, a manager.
import { defineController, defineManager } from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";

/** One definition gives the TypeScript type, the CRD with its validation, and the columns of `kubectl get`. */
export const Greeting = defineResource({
  group: "examples.kubewright.dev",
  version: "v1",
  kind: "Greeting",
  spec: z.object({ name: z.string().min(1).max(40).describe("Whom to greet") }),
  status: z.object({ text: z.string().optional() }),
  columns: { Text: ".status.text" },
});

/** Called after every change of a Greeting; reports the text in its status. */
const greetingController = defineController(Greeting, {
  reconcile(greeting, ctx) {
    ctx.status({ text: `Hello, ${greeting.spec.name}!` });
  },
});

export default defineManager({ name: "hello", controllers: [greetingController] });
