import { CustomResourceDefinition, Namespace } from "@kubewright/api";
import { deleteObject, nameOf } from "../cluster-commands/apply-objects.js";
import { connect, contextOptions } from "../cluster-commands/connect.js";
import { deployedOperator, deployedOptions } from "../cluster-commands/deployed-operator.js";
import { defineCommand, exitStatus } from "../command.js";
import { installObjects } from "../manifests/config-files.js";
import { outputOption, printResult } from "../output.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";

/** `kubewright undeploy`: the other way round. Kinds stay, and so does the namespace unless told. */
export const undeployCommand = defineCommand({
  example: "kubewright undeploy\nkubewright undeploy --delete-namespace",
  options: {
    "delete-namespace": { type: "boolean", description: "the namespace, too, with all that is in it" },
    ...deployedOptions,
    ...contextOptions,
    output: outputOption,
  },
  async run({ values }) {
    const { root, definition } = await loadProject(projectRoot());
    const operator = deployedOperator(root, definition, values);
    const kept: readonly string[] = [
      CustomResourceDefinition.kind,
      ...(values["delete-namespace"] ? [] : [Namespace.kind]),
    ];
    const { client, description } = await connect(values);
    try {
      const deleted: string[] = [];
      // Webhooks first: without them nothing waits for a manager that is gone.
      for (const object of installObjects(operator).toReversed())
        if (!kept.includes(object.kind ?? "") && (await deleteObject(client, object)))
          deleted.push(nameOf(object));
      await printResult(values.output, { deleted }, () =>
        deleted.length === 0
          ? `${definition.name} is not deployed in ${operator.settings.namespace} of ${description}`
          : [
              ...deleted.map((name) => `deleted ${name}`),
              "the kinds stay; kubewright uninstall deletes them",
            ].join("\n"),
      );
      return exitStatus.done;
    } finally {
      await client.close();
    }
  },
});
