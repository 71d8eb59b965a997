import { CustomResourceDefinition, Namespace } from "@kubewright/api";
import { deleteObject, nameOf } from "../cluster-commands/apply-objects.js";
import { withCluster } from "../cluster-commands/connect.js";
import { deployedOperator } from "../cluster-commands/deployed-operator.js";
import { type Action, exitStatus } from "../command.js";
import type { UndeployFlags } from "../commands/undeploy.js";
import { installObjects } from "../manifests/config-files.js";
import { printResult } from "../output.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";

/** Does what `kubewright undeploy` says. */
export const undeployAction: Action<UndeployFlags> = async ({ values }) => {
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
    await printResult(values.output, { deleted }, () =>
      deleted.length === 0
        ? `${definition.name} is not deployed in ${operator.settings.namespace} of ${description}`
        : [
            ...deleted.map((name) => `deleted ${name}`),
            "the kinds stay; kubewright uninstall deletes them",
          ].join("\n"),
    );
    return exitStatus.done;
  });
};
