import { type Action, exitStatus, UsageError, type ValuesOf } from "../command.js";
import type { CreateApiFlags } from "../commands/create-api.js";
import { printResult } from "../output.js";
import { ask, canAsk } from "../scaffold/ask.js";
import { createApi } from "../scaffold/create-api.js";
import { checkGroup, checkKind, checkVersion } from "../scaffold/names.js";
import { findProject } from "../scaffold/project-file.js";
import { report } from "../scaffold/report.js";

/** Does what `kubewright create api` says. */
export const createApiAction: Action<CreateApiFlags> = async ({ values }) => {
  const found = findProject();
  const result = await createApi(found, { ...values, ...(await answers(values)) });
  const next = ["npm test", "npx kubewright manifests"];
  await printResult(values.output, { directory: found.directory, ...result, next }, () =>
    report(found.directory, result, next),
  );
  return exitStatus.done;
};

/** What names a kind and was not given is asked for, where there is somebody to ask. */
async function answers({ group, version, kind, "api-version": both }: ValuesOf<CreateApiFlags>) {
  if (!canAsk() || both !== undefined) return {};
  return {
    group: group ?? (await ask("Group, without the domain", "", checkGiven(checkGroup))),
    version: version ?? (await ask("Version", "v1", checkVersion)),
    kind: kind ?? (await ask("Kind, such as ModelBox", "", checkKind)),
  };
}

const checkGiven =
  (check: (answer: string) => void) =>
  (answer: string): void => {
    if (answer === "") throw new UsageError("something is needed, such as shop");
    check(answer);
  };
