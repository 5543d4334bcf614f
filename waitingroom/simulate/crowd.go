package simulate

import (
	"math"
	"slices"
	"strconv"
	"sync"

	"plateia/core/id"
	"plateia/waitingroom/beacon"
	"plateia/waitingroom/draw"
)

// crowd is everybody who comes, in the order in which they are served.
type crowd struct {
	seed    draw.Digest
	root    draw.Digest
	lottery []draw.Rank // sorted
	late    []uint64    // second of entry (12 bits) and rank (52 bits), sorted
	perSec  []int64     // late entries by second of entry
}

const (
	lotteryShare = 0.6
	rankBits     = 52
	lateMean     = 240.0  // seconds; those who come late come with a long tail
	mix          = 0x9e37 // other random numbers of the same fan have other salts
)

// splitmix is a hash of 64 bits: one fan's random numbers, without keeping any.
func splitmix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// chance is a number in [0,1) that depends on a fan and on what it is for.
func chance(fan, salt uint64) float64 {
	return float64(splitmix(fan^splitmix(salt*mix))>>11) / (1 << 53)
}

// comes is when a fan enters, in seconds from the on-sale instant.
func comes(fan uint64, seconds int) float64 {
	if chance(fan, 1) < lotteryShare {
		return -1800 * chance(fan, 2)
	}
	at := -lateMean * math.Log(1-chance(fan, 2))
	return math.Mod(at, float64(seconds))
}

// entry is a fan's entry in the log. The pseudonym is the fan's number: a keyed one costs
// as much as the rank and changes nothing here.
func entry(fan uint64, second float64, onSaleMS int64) draw.Entry {
	at := onSaleMS + int64(math.Floor(second*1000))
	class := draw.Late
	if second < 0 {
		class = draw.Lottery
	}
	return draw.Entry{Pseudonym: strconv.FormatUint(fan, 36), Class: class, EnteredAt: at, KeyThumb: "k"}
}

// gather lets fans enter, draws, and sorts them. Two goroutines share the work.
func gather(fans, seconds int, event id.ID, salt uint64, onSaleMS int64) *crowd {
	c := &crowd{perSec: make([]int64, seconds+1)}
	c.root = logRoot(fans, seconds, salt, onSaleMS)
	secret := draw.Digest{byte(salt), 1}
	c.seed, _ = draw.Seed(secret, &beacon.Round{Randomness: draw.HashSecret(draw.Digest{byte(salt)}).String()}, draw.Digest{}, c.root)
	var parts [2]crowd
	both(func(half int) {
		ranker, p := draw.NewRanker(c.seed, event, 1), &parts[half]
		for i := half; i < fans; i += 2 {
			fan := splitmix(uint64(i) + salt<<40)
			second, rank := comes(fan, seconds), ranker.Rank(strconv.FormatUint(fan, 36))
			if second < 0 {
				p.lottery = append(p.lottery, rank)
			} else {
				p.late = append(p.late, uint64(second)<<rankBits|uint64(rank)>>(64-rankBits))
			}
		}
	})
	c.lottery = slices.Concat(parts[0].lottery, parts[1].lottery)
	c.late = slices.Concat(parts[0].late, parts[1].late)
	both(func(half int) {
		if half == 0 {
			slices.Sort(c.lottery)
		} else {
			slices.Sort(c.late)
		}
	})
	for _, key := range c.late {
		c.perSec[key>>rankBits]++
	}
	return c
}

// logRoot builds the entry log of the lottery, as the shards do while fans enter.
func logRoot(fans, seconds int, salt uint64, onSaleMS int64) draw.Digest {
	var log draw.Log
	both(func(half int) { // each takes the shards of one parity
		for i := range fans {
			fan := splitmix(uint64(i) + salt<<40)
			if second := comes(fan, seconds); second < 0 {
				if e := entry(fan, second, onSaleMS); draw.ShardOf(e.Pseudonym)%2 == half {
					log.Add(e)
				}
			}
		}
	})
	root, _ := draw.LogRoot(log.Roots())
	return root
}

func both(do func(half int)) {
	var wait sync.WaitGroup
	for half := range 2 {
		wait.Go(func() { do(half) })
	}
	wait.Wait()
}
