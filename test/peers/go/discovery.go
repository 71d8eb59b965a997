package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
)

func discoveryChecks() []check {
	return []check{
		{"discovery: groups, resources, version", discover},
		{"discovery: kinds are mapped to resources", mapKinds},
		{"discovery: schemas of both OpenAPI versions", readSchemas},
	}
}

func discover(_ context.Context, p *peer) error {
	aggregated := discovery.NewDiscoveryClientForConfigOrDie(p.config)
	legacy := discovery.NewDiscoveryClientForConfigOrDie(p.config)
	legacy.UseLegacyDiscovery = true
	counted := func(client *discovery.DiscoveryClient) (string, error) {
		groups, lists, err := client.ServerGroupsAndResources()
		if err != nil {
			return "", err
		}
		resources := 0
		for _, list := range lists {
			resources += len(list.APIResources)
		}
		return fmt.Sprint(len(groups), " ", len(lists), " ", resources), nil
	}
	return all(
		func() error {
			version, err := aggregated.ServerVersion()
			if err != nil {
				return err
			}
			return same("version", version.Major+"."+version.Minor, "1.36")
		},
		func() error {
			one, err := counted(aggregated)
			if err != nil {
				return err
			}
			other, err := counted(legacy)
			if err != nil {
				return err
			}
			return same("groups, versions and resources", one, other)
		},
		func() error {
			preferred, err := aggregated.ServerPreferredNamespacedResources()
			if err != nil {
				return err
			}
			return same("some are preferred", len(preferred) > 5, true)
		},
	)
}

func mapKinds(_ context.Context, p *peer) error {
	found := memory.NewMemCacheClient(discovery.NewDiscoveryClientForConfigOrDie(p.config))
	deferred := restmapper.NewDeferredDiscoveryRESTMapper(found)
	mapper := restmapper.NewShortcutExpander(deferred, found, nil)
	return all(
		func() error {
			mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "apps", Kind: "Deployment"})
			if err != nil {
				return err
			}
			return same("deployment", fmt.Sprint(mapping.Resource.Resource, mapping.Scope.Name()), "deploymentsnamespace")
		},
		func() error {
			mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "example.com", Kind: "Widget"}, "v1")
			if err != nil {
				return err
			}
			return same("widget", mapping.Resource, widgets)
		},
		func() error {
			kind, err := mapper.KindFor(schema.GroupVersionResource{Resource: "wd"})
			if err != nil {
				return err
			}
			return same("short name", kind.Kind, "Widget")
		},
		func() error {
			_, err := mapper.RESTMapping(schema.GroupKind{Group: "example.com", Kind: "Gadget"})
			return same("no match", meta.IsNoMatchError(err), true)
		},
	)
}

func readSchemas(_ context.Context, p *peer) error {
	client := discovery.NewDiscoveryClientForConfigOrDie(p.config)
	return all(
		func() error {
			document, err := client.OpenAPISchema()
			if err != nil {
				return err
			}
			return same("definitions", len(document.GetDefinitions().GetAdditionalProperties()) > 100, true)
		},
		func() error {
			paths, err := client.OpenAPIV3().Paths()
			if err != nil {
				return err
			}
			for _, path := range []string{"api/v1", "apis/apps/v1", "apis/example.com/v1"} {
				document, published := paths[path]
				if !published {
					return fmt.Errorf("%s is not published", path)
				}
				if _, err := document.Schema("application/json"); err != nil {
					return err
				}
			}
			return nil
		},
	)
}
