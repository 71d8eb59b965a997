package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
)

// Widget is what the benchmark's server holds, typed as a Go operator types its resources.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec `json:"spec"`
}

type WidgetSpec struct {
	Size       float64           `json:"size"`
	Schedule   string            `json:"schedule"`
	Owner      string            `json:"owner"`
	Containers []WidgetContainer `json:"containers"`
}

type WidgetContainer struct {
	Name      string                       `json:"name"`
	Image     string                       `json:"image"`
	Resources map[string]map[string]string `json:"resources"`
	Ports     []WidgetPort                 `json:"ports"`
}

type WidgetPort struct {
	Name          string `json:"name"`
	ContainerPort int32  `json:"containerPort"`
	Protocol      string `json:"protocol"`
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

// DeepCopyObject copies what is changed here: nothing below the metadata is.
func (w *Widget) DeepCopyObject() runtime.Object {
	copied := *w
	w.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return &copied
}

func (l *WidgetList) DeepCopyObject() runtime.Object {
	copied := *l
	copied.Items = append([]Widget(nil), l.Items...)
	return &copied
}

func widgetClient(config *rest.Config) (rest.Interface, error) {
	version := schema.GroupVersion{Group: "bench.example.com", Version: "v1"}
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(version, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, version)
	typed := rest.CopyConfig(config)
	typed.GroupVersion = &version
	typed.APIPath = "/apis"
	typed.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	return rest.RESTClientFor(typed)
}
