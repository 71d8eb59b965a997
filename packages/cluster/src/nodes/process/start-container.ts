// Starts a container of a pod as processes of this machine.
import { join } from "node:path";
import { Amount } from "@kubewright/api";
import type { ContainerRequest } from "../container-runtime.js";
import { referenceExpander } from "../expand-references.js";
import { privilegesOf } from "./container-privileges.js";
import { ContainerProcess } from "./container-process.js";
import { containerScript } from "./container-root.js";
import { containerVariables } from "./container-variables.js";
import type { ImageProgram } from "./image-map.js";
import { MemoryGroup } from "./memory-limit.js";
import type { NodeMachine } from "./node-machine.js";
import type { PodDirectory } from "./pod-directory.js";
import type { PodSandbox } from "./pod-sandbox.js";
import { ProcessContainer } from "./process-container.js";
import { RecordedLog } from "./recorded-log.js";
import { inTerminal } from "./terminal.js";

/** The place that a pod has on this machine. */
export interface PodPlace {
  readonly sandbox: PodSandbox;
  readonly directory: PodDirectory;
}

export async function startContainer(
  request: ContainerRequest,
  program: ImageProgram,
  { sandbox, directory }: PodPlace,
  machine: NodeMachine,
): Promise<ProcessContainer> {
  const { isolation, network, state, entries, environment } = machine;
  const { pod, container, node } = request;
  const env = await containerVariables(request, program, machine);
  const { flags: privileges, ignored } = privilegesOf(pod, container, isolation);
  if (ignored !== undefined) node.event("Warning", "IgnoredSecurityContext", ignored);
  const workingDir = container.workingDir || program.workingDir || "/";
  const id = machine.nextId();
  const memory = memoryLimit(request, id, machine);
  const log = new RecordedLog(() => environment.clock.now());
  const command = commandOf(request, program, env);
  const plan = {
    base: join(state.path, "root"),
    mounts: await directory.mountsOf(container),
    programs: programPaths(program),
    workingDir,
    command: container.tty ? inTerminal(command, isolation) : command,
    privileges,
    isReadOnly: container.securityContext?.readOnlyRootFilesystem === true,
    group: memory?.members,
  };
  const process = await ContainerProcess.start({
    isolation,
    network,
    sandbox,
    env: Object.fromEntries(env),
    hasInput: container.stdin === true,
    onOutput: (stream, bytes) => log.write(stream, bytes),
    script: containerScript(plan, isolation, entries),
  });
  return new ProcessContainer({
    id: `process://${pod.metadata?.uid}-${container.name}-${id}`,
    pod,
    container,
    podIP: node.podIP,
    process,
    log,
    clock: environment.clock,
    isolation,
    network,
    privileges,
    workingDir,
    env: Object.fromEntries(env),
    messageFile: directory.messageOf(container),
    memory,
  });
}

/** What the pod says before what the image does; `args` of the image belong to its own entrypoint only. */
function commandOf(
  { container }: ContainerRequest,
  { entrypoint = [], command = [] }: ImageProgram,
  env: ReadonlyMap<string, string>,
): readonly string[] {
  const args = container.args ?? (container.command ? [] : command);
  return [...(container.command ?? entrypoint), ...args].map(referenceExpander(env));
}

function memoryLimit(
  { pod, container, node }: ContainerRequest,
  id: number,
  { memory, state }: NodeMachine,
): MemoryGroup | undefined {
  const limit = container.resources?.limits?.["memory"];
  if (limit === undefined) return undefined;
  if (memory.version === 0) {
    node.event("Warning", "MemoryLimitNotEnforced", `The memory limit is not enforced: ${memory.why}`);
    return undefined;
  }
  const bytes = Math.ceil(Amount.parse(String(limit)).toNumber());
  const group = new MemoryGroup(memory, `${pod.metadata?.uid}-${container.name}-${id}`, bytes);
  state.noteGroup(group.path);
  return group;
}

function programPaths({ programs = {} }: ImageProgram): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(programs).map(([name, file]) => [
      name.startsWith("/") ? name : `/usr/local/bin/${name}`,
      file,
    ]),
  );
}
