// A namespace for one test, in a cluster that several tests share.
import { isNotFound, Namespace } from "@kubewright/api";
import { TestScope } from "./test-scope.js";

/** A namespace for one test of several on a shared cluster. */
export class TestNamespace extends TestScope {
  /** Deletes the namespace and waits until everything in it is gone. */
  async close(): Promise<void> {
    try {
      await this.client.delete(Namespace, this.namespace);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    await this.eventuallyGone(Namespace, this.namespace);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
