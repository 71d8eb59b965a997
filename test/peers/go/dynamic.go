package main

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
)

const widgetDefinition = `{
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "widgets.example.com"},
  "spec": {
    "group": "example.com", "scope": "Namespaced",
    "names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "shortNames": ["wd"]},
    "versions": [{
      "name": "v1", "served": true, "storage": true,
      "subresources": {
        "status": {},
        "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
      },
      "schema": {"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {
          "size": {"type": "integer", "default": 1, "maximum": 9},
          "ratio": {"type": "number"},
          "parts": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "items": {"type": "object", "required": ["name"], "properties": {
              "name": {"type": "string"}, "count": {"type": "integer"}}}}}},
        "status": {"type": "object", "properties": {"size": {"type": "integer"}}}
      }}}
    }]
  }
}`

var (
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	widgets     = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
)

func dynamicChecks() []check {
	return []check{
		{"custom kind: define and wait", defineWidgets},
		{"custom kind: create, watch, patch, apply, status, delete", widgetLife},
		{"custom kind: dynamic informer", widgetInformer},
		{"custom kind: scale client", scaleWidget},
		{"metadata client", readMetadata},
	}
}

func widget(name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"name": name}, "spec": spec,
	}}
}

func defineWidgets(ctx context.Context, p *peer) error {
	draft := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(widgetDefinition), &draft.Object); err != nil {
		return err
	}
	if _, err := p.dynamic.Resource(definitions).Create(ctx, draft, metav1.CreateOptions{}); err != nil {
		return err
	}
	return until(ctx, "the definition to be established", func() bool {
		got, err := p.dynamic.Resource(definitions).Get(ctx, draft.GetName(), metav1.GetOptions{})
		if err != nil {
			return false
		}
		conditions, _, _ := unstructured.NestedSlice(got.Object, "status", "conditions")
		for _, each := range conditions {
			condition := each.(map[string]any)
			if condition["type"] == "Established" && condition["status"] == "True" {
				return true
			}
		}
		return false
	})
}

func widgetLife(ctx context.Context, p *peer) error {
	client := p.dynamic.Resource(widgets).Namespace(namespace)
	watcher, err := client.Watch(ctx, metav1.ListOptions{AllowWatchBookmarks: true})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	return all(
		func() error {
			made, err := client.Create(ctx, widget("first", map[string]any{"ratio": 0.5}), metav1.CreateOptions{})
			if err != nil {
				return err
			}
			size, _, _ := unstructured.NestedInt64(made.Object, "spec", "size")
			return same("default", size, 1)
		},
		func() error {
			_, err := client.Create(ctx, widget("huge", map[string]any{"size": int64(10)}), metav1.CreateOptions{})
			if !apierrors.IsInvalid(err) {
				return fmt.Errorf("got %w", err)
			}
			return nil
		},
		func() error {
			_, err := client.Patch(ctx, "first", types.MergePatchType, []byte(`{"spec":{"size":2}}`), metav1.PatchOptions{})
			return err
		},
		func() error {
			_, err := client.Patch(ctx, "first", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{})
			if !apierrors.IsUnsupportedMediaType(err) {
				return fmt.Errorf("got %w", err)
			}
			return nil
		},
		func() error {
			for _, manager := range []string{"one", "two"} {
				parts := []any{map[string]any{"name": manager, "count": int64(1)}}
				_, err := client.Apply(ctx, "first", widget("first", map[string]any{"parts": parts}), metav1.ApplyOptions{FieldManager: manager})
				if err != nil {
					return err
				}
			}
			got, err := client.Get(ctx, "first", metav1.GetOptions{})
			if err != nil {
				return err
			}
			parts, _, _ := unstructured.NestedSlice(got.Object, "spec", "parts")
			return same("parts", len(parts), 2)
		},
		func() error {
			got, err := client.Get(ctx, "first", metav1.GetOptions{})
			if err != nil {
				return err
			}
			if err := unstructured.SetNestedField(got.Object, int64(2), "status", "size"); err != nil {
				return err
			}
			_, err = client.UpdateStatus(ctx, got, metav1.UpdateOptions{})
			return err
		},
		func() error { return client.Delete(ctx, "first", metav1.DeleteOptions{}) },
		func() error {
			for _, want := range []watch.EventType{
				watch.Added, watch.Modified, watch.Modified, watch.Modified, watch.Modified, watch.Deleted,
			} {
				if _, err := next(ctx, watcher, want); err != nil {
					return err
				}
			}
			return nil
		},
	)
}

func widgetInformer(ctx context.Context, p *peer) error {
	client := p.dynamic.Resource(widgets).Namespace(namespace)
	factory := dynamicinformer.NewDynamicSharedInformerFactory(p.dynamic, 0)
	heard := &tally{}
	if _, err := factory.ForResource(widgets).Informer().AddEventHandler(heard.handler()); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer factory.Shutdown()
	defer cancel()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return all(
		func() error {
			_, err := client.Create(ctx, widget("informed", map[string]any{}), metav1.CreateOptions{})
			return err
		},
		func() error { return until(ctx, "add", func() bool { return heard.added.Load() == 1 }) },
		func() error { return client.Delete(ctx, "informed", metav1.DeleteOptions{}) },
		func() error { return until(ctx, "delete", func() bool { return heard.deleted.Load() == 1 }) },
	)
}

func scaleWidget(ctx context.Context, p *peer) error {
	if _, err := p.dynamic.Resource(widgets).Namespace(namespace).Create(ctx, widget("scaled", map[string]any{}), metav1.CreateOptions{}); err != nil {
		return err
	}
	found, err := discovery.NewDiscoveryClientForConfig(p.config)
	if err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(found))
	client, err := scale.NewForConfig(p.config, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(found))
	if err != nil {
		return err
	}
	scales := client.Scales(namespace)
	got, err := scales.Get(ctx, widgets.GroupResource(), "scaled", metav1.GetOptions{})
	if err != nil {
		return err
	}
	got.Spec.Replicas = 5
	got, err = scales.Update(ctx, widgets.GroupResource(), got, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	return same("replicas", got.Spec.Replicas, 5)
}

func readMetadata(ctx context.Context, p *peer) error {
	client, err := metadata.NewForConfig(p.config)
	if err != nil {
		return err
	}
	return all(
		func() error {
			got, err := client.Resource(widgets).Namespace(namespace).Get(ctx, "scaled", metav1.GetOptions{})
			if err != nil {
				return err
			}
			return same("name", got.Name, "scaled")
		},
		func() error {
			list, err := client.Resource(widgets).List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			return same("items", len(list.Items), 1)
		},
		func() error {
			watcher, err := client.Resource(widgets).Watch(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			defer watcher.Stop()
			event, err := next(ctx, watcher, watch.Added)
			if err != nil {
				return err
			}
			_, partial := event.Object.(*metav1.PartialObjectMetadata)
			return same("partial", partial, true)
		},
		func() error {
			return client.Resource(widgets).Namespace(namespace).Delete(ctx, "scaled", metav1.DeleteOptions{})
		},
	)
}
