export { applyJsonPatch, jsonPatchSteps } from "./json-patch.js";
export { applyMergePatch, mergePatchSteps } from "./merge-patch.js";
export { applyStrategicMergePatch, strategicMergeSteps } from "./strategic-merge-patch.js";
