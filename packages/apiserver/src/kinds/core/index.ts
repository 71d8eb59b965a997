import type { NativeKind } from "../../registry/native-kinds.js";
import { configMaps } from "./config-map.js";
import { secrets } from "./secret.js";

/** The special ones of the core group, pods aside. */
export const coreKinds: readonly NativeKind[] = [configMaps, secrets];
