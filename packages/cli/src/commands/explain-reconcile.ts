import type { ObjectHistory } from "@kubewright/runtime";
import { askAddress, askPod, type Page } from "../cluster-commands/ask-manager.js";
import { withCluster } from "../cluster-commands/connect.js";
import { deployedOperator } from "../cluster-commands/deployed-operator.js";
import { mostTelling, storyText } from "../cluster-commands/story-text.js";
import { defineCommand, exitStatus, type Options, UsageError } from "../command.js";
import { printResult } from "../output.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";
import { readRunning } from "../run/running-record.js";
import { contextOptions, outputOption } from "./shared-options.js";

const options = {
  namespace: {
    type: "string",
    short: "n",
    value: "NAME",
    description: "the namespace of the object (default: default; ignored for cluster-scoped kinds)",
  },
  limit: { type: "string", value: "N", description: "how many reconciles to show (default: 10)" },
  url: {
    type: "string",
    value: "URL",
    description: "the metrics endpoint of the manager (default: that of the local manager, else of its pod)",
  },
  "service-account": {
    type: "string",
    value: "NAME",
    description:
      "a service account in the manager's namespace that may get /debug/explain (default: the manager's own)",
  },
  ...contextOptions,
  output: outputOption,
} as const satisfies Options;

/** `kubewright explain-reconcile`: the story of one object, from the manager's own timeline. */
export const explainReconcileCommand = defineCommand({
  example: "kubewright explain-reconcile ModelBox web -n shop",
  positionals: { usage: "KIND NAME", least: 2, most: 2 },
  options,
  async run({ values, positionals: [kind = "", name = ""] }) {
    const running = readRunning(projectRoot());
    const origin = values.url ?? running?.metrics;
    const token = origin === running?.metrics ? running?.token : undefined;
    const ask =
      origin === undefined
        ? deployed(projectRoot(), values)
        : (path: string) => askAddress(origin, path, { token });
    const limit = Number(values.limit ?? 10);
    if (!(Number.isInteger(limit) && limit > 0))
      throw new UsageError(`--limit ${values.limit}: a number is needed`);
    const namespace = values.namespace ?? "default";
    for (const key of [`${namespace}/${name}`, name]) {
      // More than are shown: those that wrote something may lie far behind those that did not.
      const query = new URLSearchParams({ kind, key, limit: String(Math.max(limit, 1000)) });
      const stories = storiesIn(await ask(`/debug/explain?${query}`), kind).map((story) => ({
        ...story,
        history: mostTelling(story.history, limit),
      }));
      if (!stories.some(({ history, next }) => history.length > 0 || next)) continue;
      await printResult(values.output, { objects: stories }, () => storyText(stories, Date.now()));
      return exitStatus.done;
    }
    throw new Error(
      `the manager has no record of a reconcile of ${kind} ${namespace}/${name}; it may be long ago, or before its last start`,
    );
  },
});

interface Choice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly "service-account"?: string | undefined;
}

function deployed(root: string, choice: Choice): (path: string) => Promise<Page> {
  return async (path) => {
    const { definition } = await loadProject(root);
    return withCluster(choice, ({ client }) => {
      const operator = deployedOperator(root, definition, {});
      return askPod(client, operator, path, { serviceAccount: choice["service-account"] });
    });
  };
}

function storiesIn({ status, body }: Page, kind: string): readonly ObjectHistory[] {
  if (status === 401 || status === 403)
    throw new Error(
      `the manager denies access: ${body.trim()}; bind ClusterRole …-debug-reader to a service account and pass it as --service-account`,
    );
  if (status !== 200) throw new Error(`the manager answers with ${status}: ${body.trim()}`);
  const answer: unknown = JSON.parse(body);
  if (!isAnswer(answer))
    throw new Error("the manager's answer cannot be read; its version may differ from that of this command");
  if (answer.objects.length === 0) throw new Error(`no controller of this manager is for ${kind}`);
  return answer.objects;
}

const isAnswer = (value: unknown): value is { readonly objects: readonly ObjectHistory[] } =>
  typeof value === "object" && value !== null && "objects" in value && Array.isArray(value.objects);
