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
	FinalRotationBits quat             `json:"final_rotation_bits"`
}

type smoothingVector struct {
	SmallKeep     loud `json:"smoothing_small"`
	SmallKeepBits f32  `json:"smoothing_small_bits"`
	LargeKeep     loud `json:"smoothing_large"`
	LargeKeepBits f32  `json:"smoothing_large_bits"`
	Small         loud `json:"small_cm"`
	SmallBits     f32  `json:"small_cm_bits"`
	Large         loud `json:"large_cm"`
	LargeBits     f32  `json:"large_cm_bits"`
	HardSnap      loud `json:"hard_snap_cm"`
	HardSnapBits  f32  `json:"hard_snap_cm_bits"`
}

type predictionStep struct {
	Op            string       `json:"op"`
	Move          loud         `json:"move_velocity"`
	MoveBits      vec3         `json:"move_velocity_bits"`
	DT            loud         `json:"dt"`
	DTBits        f32          `json:"dt_bits"`
	Seq           uint32       `json:"seq"`
	Authoritative *stateVector `json:"authoritative"`
	LastInput     uint32       `json:"last_input_seq"`

	Position     loud  `json:"predicted_position"`
	PositionBits *vec3 `json:"predicted_position_bits"`
	Velocity     loud  `json:"predicted_velocity"`
	VelocityBits *vec3 `json:"predicted_velocity_bits"`
	Offset       loud  `json:"visual_offset"`
	OffsetBits   vec3  `json:"visual_offset_bits"`
	Render       loud  `json:"render_position"`
	RenderBits   vec3  `json:"render_position_bits"`
	Pending      int   `json:"pending"`
}

func TestConformancePrediction(t *testing.T) {
	vectors.EachFile(t, "citadel-runtime", "prediction.json", func(t *testing.T, f predictionFile) {
		for _, v := range f.Traces {
			t.Run(v.ID, func(t *testing.T) {
				smoothing := client.Smoothing{
					Small: v.Config.SmallBits.value(t), Large: v.Config.LargeBits.value(t), HardSnap: v.Config.HardSnapBits.value(t),
					SmallKeep: v.Config.SmallKeepBits.value(t), LargeKeep: v.Config.LargeKeepBits.value(t),
				}
				p, err := client.NewPredictor(client.PredictorConfig{Smoothing: smoothing}, v.Initial.value(t))
				require.NoError(t, err)
				for i := range v.Steps {
					runPrediction(t, p, i, &v.Steps[i])
				}
				final := v.FinalRotationBits.value(t)
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
		seq, err := p.Push(s.MoveBits.value(t), s.DTBits.value(t))
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
		require.Equal(t, bits3(s.PositionBits.value(t)), bits3(p.State().Position), i)
		require.Equal(t, bits3(s.VelocityBits.value(t)), bits3(p.State().Velocity), i)
	}
	require.Equal(t, bits3(s.OffsetBits.value(t)), bits3(p.Offset()), i)
	require.Equal(t, bits3(s.RenderBits.value(t)), bits3(p.Render().Position), i)
	require.Equal(t, s.Pending, p.Pending(), i)
}
