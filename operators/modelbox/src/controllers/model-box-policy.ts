import { defineController } from "@kubewright/runtime";
import { ModelBoxPolicy } from "../api/v1/model-box-policy.js";
import { selectorError } from "./policies.js";

/** Reports on every ModelBoxPolicy whether it can be read. */
export const modelBoxPolicyController = defineController(ModelBoxPolicy, {
  reconcile(policy, ctx) {
    const error = selectorError(policy);
    if (error === undefined) {
      ctx.status({ conditions: [{ type: "Accepted", status: "True", reason: "Valid", message: "" }] });
      return;
    }
    const message = `spec.selector cannot be read, so the policy adds nothing: ${error}`;
    ctx.status({ conditions: [{ type: "Accepted", status: "False", reason: "InvalidSelector", message }] });
    ctx.event({ type: "Warning", reason: "InvalidSelector", note: message, action: "Read" });
  },
});
