import { CustomResourceDefinition, Namespace } from "@kubewright/api";
import { deleteObject, nameOf } from "../cluster-commands/apply-objects.js";
import { withCluster } from "../cluster-commands/connect.js";
import { deployedOperator } from "../cluster-commands/deployed-operator.js";
import { madeByManager, shardLeases } from "../cluster-commands/made-by-manager.js";
import { deleteOwnNamespace } from "../cluster-commands/own-namespace.js";
import { defineCommand, exitStatus, type Options } from "../command.js";
import { installObjects } from "../manifests/config-files.js";
import { printResult } from "../output.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";
import { contextOptions, deployedOptions, outputOption } from "./shared-options.js";

const options = {
  "delete-namespace": { type: "boolean", description: "delete the namespace, too, with everything in it" },
  ...deployedOptions,
  ...contextOptions,
  output: outputOption,
} as const satisfies Options;

/** `kubewright undeploy`: removes what `deploy` and the manager have made; CRDs stay, and so does a namespace that is in use. */
export const undeployCommand = defineCommand({
  example: "kubewright undeploy\nkubewright undeploy --delete-namespace",
  options,
  async run({ values }) {
    const { root, definition } = await loadProject(projectRoot());
    const operator = deployedOperator(root, definition, values);
    const kept: readonly string[] = [
      CustomResourceDefinition.kind,
      ...(values["delete-namespace"] ? [] : [Namespace.kind]),
    ];
    return withCluster(values, async ({ client, description }) => {
      const deleted: string[] = [];
      // Webhooks first: without them nothing waits for a manager that is gone.
      for (const object of installObjects(operator).toReversed())
        if (!kept.includes(object.kind ?? "") && (await deleteObject(client, object)))
          deleted.push(nameOf(object));
      for (const object of [...madeByManager(operator), ...(await shardLeases(client, operator))])
        if (await deleteObject(client, object)) deleted.push(nameOf(object));
      const namespace = values["delete-namespace"] ? undefined : await deleteOwnNamespace(client, operator);
      await printResult(values.output, { deleted }, () =>
        deleted.length === 0
          ? `${definition.name} is not deployed in ${operator.settings.namespace} of ${description}`
          : [
              ...deleted.map((name) => `deleted ${name}`),
              ...(namespace === undefined ? [] : [namespace]),
              "the CRDs are kept; kubewright uninstall deletes them",
            ].join("\n"),
      );
      return exitStatus.done;
    });
  },
});
