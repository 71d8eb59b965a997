import { type CustomResourceConversion, CustomResourceDefinition } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import { applyObject, nameOf, type Placed } from "../cluster-commands/apply-objects.js";
import { withCluster } from "../cluster-commands/connect.js";
import { deployedOperator } from "../cluster-commands/deployed-operator.js";
import { isSimulated, simulationNotice } from "../cluster-commands/deployment-report.js";
import { isMissing, markedAsOwn } from "../cluster-commands/own-namespace.js";
import { previewObject } from "../cluster-commands/preview-objects.js";
import { problemLines, waitForDeployment } from "../cluster-commands/wait-for-deployment.js";
import { defineCommand, exitStatus, type Options, UsageError } from "../command.js";
import { editedOf, installObjects } from "../manifests/config-files.js";
import { editWarnings, unstatedImage } from "../manifests/edited-files.js";
import type { Operator } from "../manifests/operator.js";
import { installDefinitions, installer, withLiveConversion } from "../run/install-kinds.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";
import { withoutControls } from "../terminal.js";
import { contextOptions, deployedOptions } from "./shared-options.js";

const options = {
  image: {
    type: "string",
    value: "IMAGE",
    description: "the image of the manager (default: kubewright.image in package.json)",
  },
  wait: {
    type: "boolean",
    description: "wait until the Deployment is available (default: true; --no-wait to return at once)",
  },
  "dry-run": { type: "boolean", description: "show what would change, and change nothing" },
  timeout: { type: "string", value: "SECONDS", description: "how long to wait (default: 120)" },
  ...deployedOptions,
  ...contextOptions,
} as const satisfies Options;

/** `kubewright deploy`: the operator as a Deployment, with everything it needs. */
export const deployCommand = defineCommand({
  example: "kubewright deploy --image registry.example.com/modelbox:1.0",
  options,
  async run({ values }) {
    const timeout = Number(values.timeout ?? 120);
    if (!(timeout > 0)) throw new UsageError(`--timeout ${values.timeout}: a number of seconds is needed`);
    const { root, definition } = await loadProject(projectRoot());
    const operator = deployedOperator(root, definition, values);
    if (operator.settings.image === unstatedImage)
      throw new UsageError("--image is required, unless package.json sets kubewright.image");
    return withCluster(values, async ({ client, description }) => {
      const objects = installObjects(operator);
      for (const line of editWarnings(editedOf(operator), [])) process.stderr.write(`${line}\n`);
      if (values["dry-run"]) {
        for (const object of objects) say(await preview(client, operator, object));
        return exitStatus.done;
      }
      const isNew = await isMissing(client, operator.settings.namespace);
      await installDefinitions(client, objects.filter(isDefinition), {
        keeps: isAtService(operator),
        onInstalled: (name) => say(`installed ${name}`),
      });
      for (const object of objects.filter((each) => !isDefinition(each))) {
        await applyObject(client, isNew ? markedAsOwn(object) : object, "kubewright-deploy");
        say(`applied ${nameOf(object)}`);
      }
      if (values.wait === false) return exitStatus.done;
      const { deployment } = operator.names;
      const { namespace } = operator.settings;
      say(`waiting for ${deployment} on ${description}`);
      const problems = await waitForDeployment(client, operator, { timeout: timeout * 1000, say });
      say([`${definition.name} is available in ${namespace}`, ...problems.flatMap(problemLines)].join("\n"));
      if (await isSimulated(client)) say(simulationNotice);
      return exitStatus.done;
    });
  },
});

/** A conversion that asks the Service already has the CA bundle; one that asks a laptop is replaced. */
const isAtService =
  ({ settings }: Operator) =>
  ({ webhook }: CustomResourceConversion): boolean =>
    webhook?.clientConfig?.service?.namespace === settings.namespace;

/** What applying the object would change, applied in the way that it will be. */
export async function preview(client: Client, operator: Operator, object: Placed): Promise<string> {
  if (!isDefinition(object)) return previewObject(client, object, "kubewright-deploy");
  const { desired, takeOver } = await withLiveConversion(client, object, isAtService(operator));
  return previewObject(
    client,
    desired,
    installer,
    takeOver && { ...desired, spec: { ...desired.spec, ...takeOver.spec } },
  );
}

const isDefinition = (object: { readonly kind?: string | undefined }): object is CustomResourceDefinition =>
  object.kind === CustomResourceDefinition.kind;

function say(text: string): void {
  process.stdout.write(`${withoutControls(text)}\n`);
}
