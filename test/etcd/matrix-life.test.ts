// The fault matrix on real etcd, fourth part: clusters with a life of their own.
import { autoscaled, backupToBucket, backupToClaim, recovery } from "./life-cases.js";
import { Matrix } from "./matrix-world.js";
import { givenSecrets, otherAuthority, tlsRotation } from "./tls-cases.js";

Matrix.part("the fault matrix on real etcd: TLS, backups, recovery, load", (matrix) => {
  matrix.lives("tls", {
    "TLS from the start, certificates renewed under load": tlsRotation,
    "another CA of the operator's own, under load": otherAuthority,
    "certificates of Secrets that are given, renewed and of another CA, under load": givenSecrets,
  });
  matrix.lives("life", {
    "backup to a claim, disaster, restore into a new cluster": backupToClaim,
    "backup to a bucket, disaster, restore into a new cluster": backupToBucket,
    "recovery from the confirmed survivor of a lost quorum": recovery,
    "members added by reads, and taken away when they end": autoscaled,
  });
});
