export { builtInImages, type ImageProgram } from "./image-map.js";
export { ProcessNodesError } from "./machine.js";
export { parseImageMap } from "./parse-image-map.js";
export { ProcessRuntime, type ProcessRuntimeOptions } from "./process-runtime.js";
