// Command peer is an operator's Go client in small: it puts client-go through what operators ask of an API server
// and prints one JSON line for each check. It prints {"restart":true} when the server is to lose everything and
// start again, and reads a line when that is done.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const namespace = "default"

// peer holds one way of talking to the server.
type peer struct {
	config  *rest.Config
	typed   kubernetes.Interface
	dynamic dynamic.Interface
	// prefix keeps the names of one way apart from those of another.
	prefix string
}

type check struct {
	name string
	run  func(context.Context, *peer) error
}

type outcome struct {
	Check   string `json:"check,omitempty"`
	Error   string `json:"error,omitempty"`
	Millis  int64  `json:"millis,omitempty"`
	Restart bool   `json:"restart,omitempty"`
}

func newPeer(kubeconfig, prefix, contentType string) *peer {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		panic(err)
	}
	config.QPS, config.Burst = 1000, 1000
	plain := rest.CopyConfig(config)
	config.ContentType = contentType
	return &peer{
		config:  plain,
		typed:   kubernetes.NewForConfigOrDie(config),
		dynamic: dynamic.NewForConfigOrDie(plain),
		prefix:  prefix,
	}
}

func say(what outcome) {
	line, err := json.Marshal(what)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}

func runCheck(each check, with *peer) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	started := time.Now()
	result := outcome{Check: with.prefix + " " + each.name}
	if err := each.run(ctx, with); err != nil {
		result.Error = err.Error()
	}
	result.Millis = time.Since(started).Milliseconds()
	say(result)
}

// restartServer asks for a server without a memory and waits until it is there.
func restartServer() error {
	say(outcome{Restart: true})
	_, err := bufio.NewReader(os.Stdin).ReadString('\n')
	return err
}

func main() {
	json := newPeer(os.Args[1], "json", "application/json")
	protobuf := newPeer(os.Args[1], "protobuf", "application/vnd.kubernetes.protobuf")
	for _, with := range []*peer{json, protobuf} {
		for _, each := range append(typedChecks(), errorChecks()...) {
			runCheck(each, with)
		}
		for _, each := range append(applyChecks(), informerChecks()...) {
			runCheck(each, with)
		}
	}
	for _, each := range append(dynamicChecks(), discoveryChecks()...) {
		runCheck(each, json)
	}
	runCheck(check{"informers survive a restart of the server", surviveRestart}, protobuf)
}
