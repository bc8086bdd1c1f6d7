package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
)

type predictionFile struct {
	Family string            `json:"family"`
	Set    string            `json:"set"`
	Seed   string            `json:"seed"`
	Source string            `json:"source"`
	Traces []predictionTrace `json:"traces"`
}

type predictionTrace struct {
	ID                string           `json:"id"`
	Config            smoothingVector  `json:"config"`
	Initial           stateVector      `json:"initial"`
	Steps             []predictionStep `json:"steps"`
	FinalRotation     loud             `json:"final_rotation"`
	FinalRotationBits vectors.Quat     `json:"final_rotation_bits"`
}

type smoothingVector struct {
	SmallKeep     loud        `json:"smoothing_small"`
	SmallKeepBits vectors.F32 `json:"smoothing_small_bits"`
	LargeKeep     loud        `json:"smoothing_large"`
	LargeKeepBits vectors.F32 `json:"smoothing_large_bits"`
	Small         loud        `json:"small_cm"`
	SmallBits     vectors.F32 `json:"small_cm_bits"`
	Large         loud        `json:"large_cm"`
	LargeBits     vectors.F32 `json:"large_cm_bits"`
	HardSnap      loud        `json:"hard_snap_cm"`
	HardSnapBits  vectors.F32 `json:"hard_snap_cm_bits"`
}

type predictionStep struct {
	Op            string       `json:"op"`
	Move          loud         `json:"move_velocity"`
	MoveBits      vectors.Vec3 `json:"move_velocity_bits"`
	DT            loud         `json:"dt"`
	DTBits        vectors.F32  `json:"dt_bits"`
	Seq           uint32       `json:"seq"`
	Authoritative *stateVector `json:"authoritative"`
	LastInput     uint32       `json:"last_input_seq"`

	Position     loud          `json:"predicted_position"`
	PositionBits *vectors.Vec3 `json:"predicted_position_bits"`
	Velocity     loud          `json:"predicted_velocity"`
	VelocityBits *vectors.Vec3 `json:"predicted_velocity_bits"`
	Offset       loud          `json:"visual_offset"`
	OffsetBits   vectors.Vec3  `json:"visual_offset_bits"`
	Render       loud          `json:"render_position"`
	RenderBits   vectors.Vec3  `json:"render_position_bits"`
	Pending      int           `json:"pending"`
}

func TestConformancePrediction(t *testing.T) {
	vectors.EachFile(t, "citadel-runtime", "prediction.json", func(t *testing.T, f predictionFile) {
		for _, v := range f.Traces {
			t.Run(v.ID, func(t *testing.T) {
				smoothing := client.Smoothing{
					Small: v.Config.SmallBits.Float(), Large: v.Config.LargeBits.Float(), HardSnap: v.Config.HardSnapBits.Float(),
					SmallKeep: v.Config.SmallKeepBits.Float(), LargeKeep: v.Config.LargeKeepBits.Float(),
				}
				p, err := client.NewPredictor(client.PredictorConfig{Smoothing: smoothing}, v.Initial.value(t))
				require.NoError(t, err)
				for i := range v.Steps {
					runPrediction(t, p, i, &v.Steps[i])
				}
				final := v.FinalRotationBits.Floats()
				require.Equal(t, final, p.State().Rotation)
				require.Equal(t, final, p.Render().Rotation)
			})
		}
	})
}

func runPrediction(t *testing.T, p *client.Predictor, i int, s *predictionStep) {
	t.Helper()
	switch s.Op {
	case "push":
		seq, err := p.Push(s.MoveBits.Floats(), s.DTBits.Float())
		require.NoError(t, err, i)
		require.Equal(t, s.Seq, seq, i)
	case "reconcile":
		require.NoError(t, p.Reconcile(s.Authoritative.value(t), s.LastInput), i)
	case "advance_smoothing":
		p.AdvanceSmoothing()
	default:
		t.Fatalf("step %d is %q", i, s.Op)
	}
	if s.PositionBits != nil {
		require.Equal(t, *s.PositionBits, vectors.Bits3(p.State().Position), i)
		require.Equal(t, *s.VelocityBits, vectors.Bits3(p.State().Velocity), i)
	}
	require.Equal(t, s.OffsetBits, vectors.Bits3(p.Offset()), i)
	require.Equal(t, s.RenderBits, vectors.Bits3(p.Render().Position), i)
	require.Equal(t, s.Pending, p.Pending(), i)
}
