// v1alpha1 knows no serviceType. What it cannot say is kept in an annotation, so that nothing is lost on the way there and
// back.
import { defineConversion } from "@kubewright/runtime";
import { AppService } from "../api/v1/app-service.js";

export const serviceTypeAnnotation = "app.example.com/service-type";

type ServiceType = NonNullable<AppService["spec"]["serviceType"]>;
const serviceTypes: readonly ServiceType[] = ["ClusterIP", "NodePort", "LoadBalancer", "Headless"];

export const appServiceConversion = defineConversion(AppService, {
  v1alpha1: {
    up: ({ metadata, spec, status }) => {
      const { [serviceTypeAnnotation]: kept, ...annotations } = metadata.annotations ?? {};
      const serviceType = serviceTypes.find((type) => type === kept);
      return { metadata: { annotations }, spec: { ...spec, serviceType }, status };
    },
    down: ({ metadata, spec: { serviceType, ...spec }, status }) => ({
      metadata: {
        annotations: {
          ...metadata.annotations,
          ...(serviceType && { [serviceTypeAnnotation]: serviceType }),
        },
      },
      spec,
      status,
    }),
  },
});
