export { mainUsage, parseMainSettings } from "./main-flags.js";
export type { MainSettings } from "./main-settings.js";
export { openManager, type Surroundings } from "./open-manager.js";
export { type MainProcess, runManager } from "./run-manager.js";
export { keepHeapSmall } from "./small-heap.js";
export { sourceLineOf } from "./source-line.js";
export { type TerminalLoggerOptions, terminalLogger } from "./terminal-logger.js";
