// Validates restart policies and restart rules of containers.
import { type Container, type ContainerRestartRule, type FieldError, fieldError } from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { oneOfIfSet } from "../field-rules.js";

const maxRules = 20;
const maxExitCodes = 255;

/** The restart policy of a container and its exceptions. */
export function validateRestartRules(
  { restartPolicy, restartPolicyRules = [] }: Pick<Container, "restartPolicy" | "restartPolicyRules">,
  field: string,
): FieldError[] {
  const at = `${field}.restartPolicyRules`;
  const errors = oneOfIfSet(restartPolicy, ["Always", "Never", "OnFailure"], `${field}.restartPolicy`);
  if (restartPolicy === undefined && restartPolicyRules.length > 0) {
    const text = "must specify restartPolicy when restart rules are used";
    errors.push(fieldError.required(`${field}.restartPolicy`, text));
  }
  if (restartPolicyRules.length > maxRules)
    errors.push(fieldError.tooMany(at, restartPolicyRules.length, maxRules));
  return [...errors, ...checkEach(restartPolicyRules, (rule, index) => ruleErrors(rule, `${at}[${index}]`))];
}

/** Of init containers without a policy nothing else is looked at. */
export function validateInitRestartRules(
  container: Pick<Container, "restartPolicy" | "restartPolicyRules">,
  field: string,
): FieldError[] {
  const errors = validateRestartRules(container, field);
  return container.restartPolicy === undefined ? errors.slice(0, 1) : errors;
}

function ruleErrors({ action = "", exitCodes }: ContainerRestartRule, field: string): FieldError[] {
  const errors = oneOfIfSet(action, ["Restart", "RestartAllContainers"], `${field}.action`);
  if (!exitCodes) return [...errors, fieldError.required(`${field}.exitCodes`, "must be specified")];
  const { operator = "", values = [] } = exitCodes;
  const at = `${field}.exitCodes`;
  errors.push(...oneOfIfSet(operator, ["In", "NotIn"], `${at}.operator`));
  if (values.length > maxExitCodes)
    errors.push(fieldError.tooMany(`${at}.values`, values.length, maxExitCodes));
  return errors;
}
