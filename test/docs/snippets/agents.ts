// The operator of docs/guides/agents.md.
import { type ObjectOf, Pod } from "@kubewright/api";
import { defineController, owned } from "@kubewright/runtime";
import { agentEnd, agentPod, agentState } from "@kubewright/runtime/agent";
import { conditions, defineResource, z } from "@kubewright/schema";

export const Export = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Export",
  spec: z.object({ claimName: z.string(), timeoutSeconds: z.int32().min(1).default(600) }),
  status: z.object({
    phase: z.enum(["Running", "Succeeded", "Failed"]).optional(),
    rows: z.int().optional(),
    message: z.string().optional(),
    conditions: conditions(),
  }),
});
type Export = ObjectOf<typeof Export>;

const report = z.object({ rows: z.int() });
export type Report = z.infer<typeof report>;

export const exportController = (image: () => Promise<string>) =>
  defineController(Export, {
    owns: [owned(Pod, { verbs: ["create", "delete"] })],
    async reconcile(object, ctx) {
      const [pod] = ctx.children(Pod);
      const { phase } = object.status ?? {};
      if (phase === "Succeeded" || phase === "Failed") {
        if (pod) await ctx.delete(Pod, pod);
        return undefined;
      }
      const { timeoutSeconds } = object.spec;
      const isStarted = phase === "Running";
      const work = { owner: object, now: ctx.now(), timeoutSeconds, isStarted };
      const state = agentState(pod, pod && agentEnd(pod, report), work);
      if (state.kind === "none") await ctx.create(Pod, podFor(object, await image()));
      if (state.kind === "succeeded") ctx.status({ phase: "Succeeded", rows: state.report.rows });
      else if (state.kind === "failed") ctx.status({ phase: "Failed", message: state.message });
      else ctx.status({ phase: "Running" });
      return { requeueAfter: 2_000 };
    },
  });

export interface Task {
  readonly file: string;
}

function podFor({ metadata: { name = "" }, spec: { claimName, timeoutSeconds } }: Export, image: string) {
  const task: Task = { file: `/exports/${name}.csv` };
  const volumes = [{ name: "exports", persistentVolumeClaim: { claimName } }];
  const volumeMounts = [{ name: "exports", mountPath: "/exports" }];
  return {
    metadata: { name: `${name}-export` },
    spec: agentPod({ image, task, timeoutSeconds, volumes, volumeMounts }),
  };
}
