import type { NativeKind } from "../../registry/native-kinds.js";
import { configMaps } from "./config-map.js";
import { namespaces } from "./namespace.js";
import { secrets } from "./secret.js";
import { serviceAccounts } from "./service-account.js";

/** The special ones of the core group, pods aside. */
export const coreKinds: readonly NativeKind[] = [configMaps, namespaces, secrets, serviceAccounts];
