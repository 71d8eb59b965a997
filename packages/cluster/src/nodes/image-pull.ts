// Getting the image of a container: pulled when the node lacks it, tried again for ever when it cannot be had.
import { millisecondsToDuration, sleep } from "@kubewright/api";
import type { ContainerHost } from "./container-host.js";
import { type ContainerRequest, ImageError } from "./container-runtime.js";

const first = 10_000;
const longest = 300_000;

export class ImagePull {
  /** As `imageID` shows it; empty before the first pull. */
  id = "";
  readonly #host: ContainerHost;
  readonly #wait: (reason: string, message: string) => void;

  constructor(host: ContainerHost, wait: (reason: string, message: string) => void) {
    this.#host = host;
    this.#wait = wait;
  }

  /** True once the node has it; false when the pod stops meanwhile. */
  async have(request: () => ContainerRequest): Promise<boolean> {
    const { clock, signal } = this.#host;
    try {
      for (let delay = first; !signal.aborted; delay = Math.min(delay * 2, longest)) {
        const failure = await this.#try(request());
        if (!failure) return !signal.aborted;
        this.#wait(failure.reason, failure.message);
        if (failure.reason !== "ErrImagePull") {
          await sleep(clock, longest, signal);
          continue;
        }
        await this.#backOff(request(), failure, delay);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return false;
  }

  async #try(request: ContainerRequest): Promise<ImageError | undefined> {
    const { runtime, signal } = this.#host;
    const { container } = request;
    const said = (reason: string, message: string, type: "Normal" | "Warning" = "Normal"): void =>
      this.#host.event(type, reason, message, container);
    try {
      if (!runtime.hasImage(request)) said("Pulling", `Pulling image "${container.image}"`);
      this.#pulled(await this.#timed(() => runtime.pull(request, signal)), said, container.image ?? "");
      return undefined;
    } catch (error) {
      if (!(error instanceof ImageError)) throw error;
      const { reason, message } = error;
      if (reason === "ErrImagePull")
        said("Failed", `Failed to pull image "${container.image}": ${message}`, "Warning");
      else said(reason === "InvalidImageName" ? "InspectFailed" : reason, message, "Warning");
      said("Failed", `Error: ${reason}`, "Warning");
      return error;
    }
  }

  #pulled(
    { result, took }: { result: Awaited<ReturnType<ContainerHost["runtime"]["pull"]>>; took: number },
    said: (reason: string, message: string) => void,
    name: string,
  ): void {
    this.id = result.id;
    if (result.wasPresent) {
      said("Pulled", `Container image "${name}" already present on machine and can be accessed by the pod`);
      return;
    }
    const time = millisecondsToDuration(Math.round(took));
    said(
      "Pulled",
      `Successfully pulled image "${name}" in ${time} (${time} including waiting). Image size: ${result.bytes} bytes.`,
    );
  }

  async #timed<T>(work: () => Promise<T>): Promise<{ result: T; took: number }> {
    const { clock } = this.#host;
    const begun = clock.monotonic();
    return { result: await work(), took: clock.monotonic() - begun };
  }

  /** The kubelet notices at its next look, ten seconds later, that it is to wait. */
  async #backOff({ container }: ContainerRequest, { message }: ImageError, delay: number): Promise<void> {
    const { clock, signal } = this.#host;
    await sleep(clock, Math.min(first, delay), signal);
    const text = `Back-off pulling image "${container.image}"`;
    this.#host.event("Normal", "BackOff", text, container);
    this.#host.event("Warning", "Failed", "Error: ImagePullBackOff", container);
    this.#wait("ImagePullBackOff", `${text}: ErrImagePull: ${message}`);
    await sleep(clock, delay, signal);
  }
}
