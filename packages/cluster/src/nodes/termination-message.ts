// The termination message of a container: the contents of its message file, or, where its policy allows it, the end of its log.
import type { Container } from "@kubewright/api";
import type { ContainerExit, ContainerLog } from "./container-runtime.js";
import { lineText } from "./log-text.js";

const maxLines = 80;
const maxCharacters = 2048;

export function withTerminationMessage(
  exit: ContainerExit,
  { terminationMessagePolicy }: Container,
  log: () => ContainerLog | undefined,
): ContainerExit {
  if (exit.message !== undefined || exit.exitCode === 0) return exit;
  if (terminationMessagePolicy !== "FallbackToLogsOnError") return exit;
  const lines = log()?.read(0).lines.slice(-maxLines) ?? [];
  const message = lines.map(lineText).join("");
  return message === "" ? exit : { ...exit, message: message.slice(-maxCharacters) };
}
