// Lines of a log as the text they came from.
import type { LogLine } from "./container-runtime.js";

/** The line, with its end where one was written. */
export const lineText = ({ text, isUnfinished }: LogLine): string => (isUnfinished ? text : `${text}\n`);
