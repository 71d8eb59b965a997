import { ConfigMap, Deployment, PodDisruptionBudget } from "@kubewright/api";
import { defineController, owned, watch } from "@kubewright/runtime";
import {
  deploymentPart,
  failureStatus,
  keepWorkload,
  part,
  watchAutoscalers,
  watchPods,
} from "@kubewright/runtime/workload";
import { Guestbook } from "../api/v1/guestbook.js";
import {
  configuredWith,
  deploymentFor,
  disruptionBudgetFor,
  fingerprint,
  guestbookLabel,
} from "./deployment.js";
import { serving } from "./serving.js";

/** Keeps a Deployment for every Guestbook, and reports which of its pods serves. */
export const guestbookController = defineController(Guestbook, {
  owns: [owned(Deployment, { verbs: ["create", "patch"] }), PodDisruptionBudget],
  indexes: { config: ({ metadata, spec }) => [`${metadata.namespace}/${spec.configMapName}`] },
  watches: [
    watchPods(guestbookLabel),
    watchAutoscalers(Deployment),
    watch(ConfigMap, {
      targets: ({ metadata }, books) => books.byIndex("config", `${metadata?.namespace}/${metadata?.name}`),
    }),
  ],
  async reconcile(book, ctx) {
    const { configMapName } = book.spec;
    const config = await ctx.get(ConfigMap, configMapName);
    // While there is none, the pods that run keep the configuration they have, and all else is kept as declared.
    const configured = config ? fingerprint(config) : configuredWith(ctx.children(Deployment)[0]);
    return keepWorkload(
      ctx,
      book,
      {
        deployment: deploymentPart(ctx, book, deploymentFor(book, configured)),
        podDisruptionBudget: part(ctx, PodDisruptionBudget, disruptionBudgetFor(book)),
      },
      {
        podLabel: guestbookLabel,
        problem: config ? undefined : configMapMissing(configMapName),
        status: (_, pods) => serving(pods, book.status?.active),
      },
    );
  },
  onError: failureStatus,
});

const configMapMissing = (name: string) => ({
  reason: "ConfigMapMissing",
  message: `there is no ConfigMap ${name}; create it to configure the pods`,
});
