package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
)

// same fails unless both are equal.
func same[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}

// all runs steps until one fails.
func all(steps ...func() error) error {
	for number, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("step %d: %w", number+1, err)
		}
	}
	return nil
}

// until waits for a condition that other goroutines bring about.
func until(ctx context.Context, what string, holds func() bool) error {
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 15*time.Second, true, func(context.Context) (bool, error) {
		return holds(), nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %s: %w", what, err)
	}
	return nil
}

// next reads one event of a watch and fails if it is of another type.
func next(ctx context.Context, from watch.Interface, want watch.EventType) (watch.Event, error) {
	select {
	case event, open := <-from.ResultChan():
		if !open {
			return event, fmt.Errorf("watch ended before %s", want)
		}
		if event.Type != want {
			return event, fmt.Errorf("got %s (%#v), want %s", event.Type, event.Object, want)
		}
		return event, nil
	case <-ctx.Done():
		return watch.Event{}, fmt.Errorf("no %s event: %w", want, ctx.Err())
	}
}
