// Command client-go follows the benchmark's objects with client-go, and does what it is told over the channel that Node
// opens for its children: one JSON text in each line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const namespace = "default"

type order struct {
	Step   string `json:"step"`
	Count  int64  `json:"count"`
	Rounds int    `json:"rounds"`
}

type cost struct {
	Time float64 `json:"time"`
	CPU  float64 `json:"cpu"`
}

// follower serves the one who measures.
type follower struct {
	channel    *os.File
	orders     *bufio.Scanner
	config     *rest.Config
	client     rest.Interface
	controller *controller
	objects    int64
	firstDrain float64
}

func main() {
	f := newFollower()
	f.sync()
	for f.orders.Scan() {
		var given order
		must(json.Unmarshal(f.orders.Bytes(), &given))
		f.obey(given)
	}
}

func newFollower() *follower {
	descriptor, err := strconv.Atoi(os.Getenv("NODE_CHANNEL_FD"))
	must(err)
	var bench struct {
		Objects int64 `json:"objects"`
	}
	must(json.Unmarshal([]byte(os.Getenv("BENCH")), &bench))
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err)
	config.QPS = -1
	client, err := widgetClient(config)
	must(err)
	channel := os.NewFile(uintptr(descriptor), "channel")
	return &follower{
		channel: channel, orders: bufio.NewScanner(channel), config: config, client: client, objects: bench.Objects,
	}
}

func (f *follower) say(what any) {
	line, err := json.Marshal(what)
	must(err)
	_, err = f.channel.Write(append(line, '\n'))
	must(err)
}

func (f *follower) sync() {
	f.controller = newController(f.client)
	drained := f.reconciles(f.objects)
	f.controller.start()
	began := time.Now()
	f.say(map[string]any{
		"count":  len(f.controller.informer.GetIndexer().ListKeys()),
		"cpu":    cpu(),
		"rss":    resident(),
		"maxRss": usage().Maxrss * 1024,
	})
	<-drained
	f.firstDrain = millis(time.Since(began))
}

func (f *follower) obey(given order) {
	switch given.Step {
	case "first":
		f.say(f.firstDrain)
	case "updates":
		seen := f.reconciles(given.Count)
		f.say(costOf(func() {
			f.say("ready")
			<-seen
		}))
	case "patches":
		seen := f.reconciles(given.Count)
		f.say(costOf(func() {
			for index := range given.Count {
				f.patch(index)
			}
			<-seen
		}))
	case "children":
		f.say(costOf(func() { f.children(given.Count) }))
	case "latency":
		f.latency()
	case "drain":
		f.say(f.drain(given.Rounds))
	case "heap":
		full := heap()
		f.controller.close()
		f.controller = nil
		f.say((full - heap()) / float64(f.objects))
	default:
		f.say("none")
	}
}

// reconciles tells when so many were done; later ones are not heard of.
func (f *follower) reconciles(count int64) <-chan struct{} {
	done := make(chan struct{})
	var seen atomic.Int64
	f.controller.onReconcile(func(*Widget) {
		if seen.Add(1) == count {
			close(done)
		}
	})
	return done
}

func (f *follower) patch(index int64) {
	body := fmt.Sprintf(`{"spec":{"size":%v}}`, float64(index)+rand.Float64())
	request := f.client.Patch(types.MergePatchType).Namespace(namespace).Resource("widgets")
	must(request.Name(fmt.Sprintf("w-%d", index)).Body([]byte(body)).Do(context.Background()).Into(&Widget{}))
}

// children creates so many ConfigMaps, eight at a time.
func (f *follower) children(count int64) {
	maps := kubernetes.NewForConfigOrDie(f.config).CoreV1().ConfigMaps(namespace)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for index := next.Add(1) - 1; index < count; index = next.Add(1) - 1 {
				child := &corev1.ConfigMap{Data: map[string]string{"name": fmt.Sprintf("w-%d", index)}}
				child.Name = fmt.Sprintf("go-%d-%d", os.Getpid(), index)
				_, err := maps.Create(context.Background(), child, metav1.CreateOptions{})
				must(err)
			}
		})
	}
	workers.Wait()
}

// latency notes when it hears of which version, until the next order.
func (f *follower) latency() {
	var mutex sync.Mutex
	heard := [][2]any{}
	f.controller.onReconcile(func(widget *Widget) {
		mutex.Lock()
		defer mutex.Unlock()
		heard = append(heard, [2]any{widget.ResourceVersion, monotonic()})
	})
	f.say("ready")
	f.orders.Scan()
	mutex.Lock()
	defer mutex.Unlock()
	f.say(heard)
}

// drain gives every key at once to the one worker.
func (f *follower) drain(rounds int) []float64 {
	keys := f.controller.informer.GetIndexer().ListKeys()
	times := []float64{}
	for range rounds {
		done := f.reconciles(int64(len(keys)))
		began := time.Now()
		for _, key := range keys {
			f.controller.queue.Add(key)
		}
		<-done
		times = append(times, millis(time.Since(began)))
		time.Sleep(10 * time.Millisecond)
	}
	return times
}

func costOf(work func()) cost {
	runtime.GC()
	before, began := cpu(), time.Now()
	work()
	return cost{Time: millis(time.Since(began)), CPU: cpu() - before}
}

func usage() syscall.Rusage {
	var used syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return used
}

func cpu() float64 {
	used := usage()
	return millis(time.Duration(used.Utime.Nano() + used.Stime.Nano()))
}

func resident() int {
	text, err := os.ReadFile("/proc/self/statm")
	must(err)
	var size, pages int
	_, err = fmt.Sscan(string(text), &size, &pages)
	must(err)
	return pages * os.Getpagesize()
}

func heap() float64 {
	time.Sleep(200 * time.Millisecond)
	for range 3 {
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}

func millis(of time.Duration) float64 {
	return float64(of) / float64(time.Millisecond)
}

// monotonic is the clock that Node reads too, in nanoseconds.
func monotonic() int64 {
	var now syscall.Timespec
	_, _, failed := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&now)), 0)
	if failed != 0 {
		panic(failed)
	}
	return now.Nano()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
