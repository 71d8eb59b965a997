// The bucket of tests as a program, for a pod.
import { Bucket } from "../../packages/runtime/src/backup/fixtures/bucket.js";

await Bucket.start({ accessKeyId: "key", secretAccessKey: "secret" }, { port: 9_000, host: "0.0.0.0" });
process.on("SIGTERM", () => process.exit(0));
